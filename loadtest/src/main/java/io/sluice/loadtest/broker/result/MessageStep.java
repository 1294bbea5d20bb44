package io.sluice.loadtest.broker.result;

/** Timed steps of a message from producer to consumer. Immutable, for any thread. */
public enum MessageStep {
  /** The producer reads a price from a recording. */
  READ,
  /** The producer creates the message; depending on the client, this includes encoding. */
  MAKE,
  /** The producer sends it; outside of transactions, until the broker's confirmation. */
  SEND,
  /**
   * The producer commits a transaction, until the broker's confirmation; one value per transaction.
   */
  COMMIT,
  /** From the due time of the message until the consumer receives it. */
  ARRIVE,
  /** The consumer decodes it. */
  DECODE,
  /** The consumer writes its price to a recording. */
  RECORD,
  /** The consumer acknowledges it or commits a transaction. */
  ACKNOWLEDGE,
  /** From the due time of the message until the consumer has decoded it. */
  LATENCY,
  /** From the due time of a request until its reply is decoded. */
  REPLY
}
