package io.sluice.gateway.shard;

import io.sluice.gateway.protocol.GapReason;

/** The state of a subscription that is served at its own pace. Bound to the shard's event loop. */
abstract class Paced {
  /** Above all offsets: no message is held. */
  static final long NOTHING_HELD = Long.MAX_VALUE;

  /** How many channels of the pattern a binary client has been sent; they precede all messages. */
  int announced;

  /**
   * Messages have come, and all other subscriptions have been handed them.
   *
   * @return whether a step may have something to do
   */
  abstract boolean onRun(MessageBatch run, Pacer pacer);

  /** Messages may be missing at this offset for everybody else. */
  abstract void onGap(GapReason reason, long offset);

  /** The lowest offset of a message that it holds itself; all others are sent from the log. */
  abstract long oldestHeld();

  /** Discards the messages that it holds itself up to an offset; a gap is sent instead of them. */
  abstract void discardHeld(long upTo);

  /** A failure kept messages up to this offset from this subscription. */
  void onFault(long upTo) {
    onGap(GapReason.OVERLOAD, upTo);
  }

  /** Hands over what may be by now; returns whether something is left, or soon may be. */
  abstract boolean step(Pacer pacer);

  /** Whether its client lacks something that the others have been sent. */
  boolean isBehind() {
    return false;
  }

  /** The lowest offset of the messages of a replay from an index on. */
  static long oldest(Replay replay, int from) {
    boolean holds = replay != null && !replay.isCut() && from < replay.size();
    return holds ? replay.messages().get(from).offset() : NOTHING_HELD;
  }

  /** The subscription has ended, or is served like the others again. */
  void close() {}
}
