package io.sluice.loadtest.broker.result;

/** Timed steps of a message from producer to consumer, in nanoseconds. */
public enum MessageStep {
  /** The producer makes the message and its client encodes as much of it as it does by then. */
  MAKE,
  /** The producer sends it; outside of transactions, until the broker has answered. */
  SEND,
  /** The producer ends a transaction, until the broker has answered; one value a transaction. */
  COMMIT,
  /** From when the message was due until the consumer has it: the whole way to the consumer. */
  ARRIVE,
  /** The consumer reads all of it. */
  DECODE,
  /** The consumer acknowledges it, or ends a transaction. */
  ACKNOWLEDGE,
  /** From when the message was due until the consumer has read it. */
  LATENCY
}
