package io.sluice.gateway.shard;

import io.sluice.gateway.protocol.GapReason;

/** State of a subscription that is served at its own pace. Bound to the shard's event loop. */
abstract class Paced {
  /** An offset above all others: no message is retained. */
  static final long NOTHING_RETAINED = Long.MAX_VALUE;

  /** A time above all others: no message or gap is held. */
  static final long NOTHING_HELD = Long.MAX_VALUE;

  /** A time before all others: no proof is valid. */
  static final long NOT_PROVEN = 0;

  /** Number of the pattern's channels sent to a binary client; they precede all messages. */
  int announced;

  /**
   * Offset of the gap of the latest stream that was announced to the client by a gap or before its
   * answer; 0 if there was none.
   */
  long stream;

  /**
   * Processes messages after their delivery to the live subscriptions.
   *
   * @return whether a step may have work
   */
  abstract boolean onMessages(MessageBatch messages, Pacer pacer);

  /** Processes a gap that is reported to all subscriptions. */
  abstract void onGap(GapReason reason, long offset);

  /** Returns the lowest offset of a message retained here; other messages come from the log. */
  abstract long oldestRetained();

  /** Discards the messages retained here up to an offset; a gap is sent instead. */
  abstract void discardRetained(long upTo);

  /** Discards the messages queued here after an offset; a gap follows. */
  void discardAfter(long from) {}

  /** Processes a failure to deliver messages up to an offset to this subscription. */
  void onFault(long upTo) {
    onGap(GapReason.OVERLOAD, upTo);
  }

  /** Returns the offset up to which the client was sent messages and gaps. */
  abstract long position();

  /** Delivers as much as is permitted now; returns whether another step is required. */
  abstract boolean step(Pacer pacer);

  /**
   * Returns the latest proof that covers no message or gap that the client was not sent; {@link
   * #NOTHING_HELD} if it was sent everything.
   */
  abstract long provenMs();

  /** Returns the lowest offset of a snapshot's messages from an index on. */
  static long oldest(PromisedSnapshot snapshot, int from) {
    boolean hasMessages = snapshot != null && !snapshot.isCut() && from < snapshot.size();
    return hasMessages ? snapshot.messages().get(from).offset() : NOTHING_RETAINED;
  }

  /** Reports a loss after the oldest message of a snapshot whose messages were all sent. */
  static void reportLoss(SubscriptionState subscription, PromisedSnapshot sent) {
    if (sent.loss != null) {
      subscription.topic.sendGap(subscription, sent.loss, sent.offset);
    }
  }

  /** Releases the snapshot when the subscription ends or becomes live. */
  void close() {}
}
