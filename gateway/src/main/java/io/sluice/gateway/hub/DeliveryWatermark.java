package io.sluice.gateway.hub;

import java.util.ArrayList;
import java.util.List;

/**
 * Evidence for which interests a canary proves delivery: docs/PROTOCOL.md, section 8. A canary has
 * a queue of its own at the broker and overtakes topics that lag. So a canary that has returned
 * only opens a round: until a later canary has returned, too, messages that the broker accepted
 * before the first one exclude their interest from the proof.
 *
 * <p>Rounds change on the control thread; any thread may read.
 */
final class DeliveryWatermark {
  /** A time before all others. */
  static final long NEVER = Long.MIN_VALUE;

  private static final int MOST_MARKS = 128;

  /**
   * The time from a canary's return to that of a later one.
   *
   * @param floor the broker's number of the canary: what has a smaller one was accepted before
   * @param openedMs when it returned, by {@link HubClock#monoMs}
   */
  record Round(int number, long floor, long openedMs) {}

  /** A canary that has returned, and when it was sent. */
  private record Mark(long floor, long sentMs) {}

  private final long holdMs;
  private volatile Round current;

  /** The latest canaries, oldest first. */
  private volatile List<Mark> marks = List.of();

  private int opened;

  /** When the connection ceases to be congested; control thread only. */
  private long congestedUntilMs = NEVER;

  /**
   * @param holdMs time for which a connection counts as congested after a round that was
   */
  DeliveryWatermark(long holdMs) {
    this.holdMs = holdMs;
  }

  /**
   * Begins a round.
   *
   * @param floor the broker's number of the canary that has returned, or {@link Long#MAX_VALUE} if
   *     the broker does not number messages: then every message of the round counts as late
   */
  void open(long floor, long nowMs) {
    current = new Round(opened++, floor, nowMs);
  }

  /**
   * Notes a canary that has returned.
   *
   * @param sentMs when it was sent, by {@link HubClock#monoMs}
   */
  void mark(long floor, long sentMs) {
    List<Mark> old = marks;
    List<Mark> more =
        new ArrayList<>(old.subList(Math.max(0, old.size() + 1 - MOST_MARKS), old.size()));
    more.add(new Mark(floor, sentMs));
    marks = List.copyOf(more);
  }

  /** A message was late by more than the spread in the round that ends now. */
  void congested(long nowMs) {
    congestedUntilMs = nowMs + holdMs + 1;
  }

  /**
   * Whether topics may starve: a backlog need not show itself in each round. A link that is free
   * again, or a busy processor, can have a whole round pass without a message of a topic that lags.
   */
  boolean isCongested(long nowMs) {
    return nowMs < congestedUntilMs;
  }

  /** Whether what was seen at a time, or {@link #NEVER}, may still go on unseen. */
  boolean isHeld(long seenMs, long nowMs) {
    return seenMs != NEVER && nowMs < seenMs + holdMs;
  }

  /** The connection is lost: nothing is late until a canary returns. */
  void clear() {
    current = null;
    congestedUntilMs = NEVER;
    marks = List.of();
  }

  /** The current round, or null. */
  Round current() {
    return current;
  }

  /**
   * Returns by how much a message lags that arrives now: the time since the first canary was sent
   * that the broker accepted after the message. Canaries are slow, too, on a congested connection:
   * the time since their return would hide as much.
   */
  long lagMs(long sequence, long nowMs) {
    for (Mark mark : marks) {
      if (sequence < mark.floor()) {
        return nowMs - mark.sentMs();
      }
    }
    return 0;
  }
}
