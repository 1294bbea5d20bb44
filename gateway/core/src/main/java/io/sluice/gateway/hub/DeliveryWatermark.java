package io.sluice.gateway.hub;

import io.sluice.gateway.history.HubClock;
import java.util.ArrayList;
import java.util.List;

/**
 * Evidence for which interests a canary proves delivery: docs/PROTOCOL.md, section 8. A canary has
 * a separate queue at the broker and overtakes lagging topics. A returned canary therefore only
 * opens a round, which ends when a later canary returns. A message in the round that the broker
 * accepted before the first canary excludes its interest from the proof.
 *
 * <p>The control thread changes rounds; any thread may read them.
 */
final class DeliveryWatermark {
  /** A time before all others. */
  static final long NEVER = Long.MIN_VALUE;

  private static final int MAX_CANARIES = 128;

  /**
   * Interval from the return of a canary to the return of a later one.
   *
   * @param floor the broker's sequence number of the canary; earlier messages have a smaller one
   * @param openedMs return of the canary, by {@link HubClock#monoMs}
   */
  record Round(int number, long floor, long openedMs) {}

  /** A returned canary with the time at which it was sent. */
  private record Canary(long floor, long sentMs) {}

  private final long holdMs;
  private volatile Round current;

  /** The latest canaries, oldest first. */
  private volatile List<Canary> canaries = List.of();

  private int opened;

  /** Time at which the connection is no longer congested; control thread only. */
  private long congestedUntilMs = NEVER;

  /**
   * Creates a watermark without a round.
   *
   * @param holdMs time for which a connection counts as congested after a congested round
   */
  DeliveryWatermark(long holdMs) {
    this.holdMs = holdMs;
  }

  /**
   * Begins a round.
   *
   * @param floor the broker's sequence number of the returned canary, or {@link Long#MAX_VALUE} if
   *     the broker does not number messages; every message of the round then counts as late
   */
  void open(long floor, long nowMs) {
    current = new Round(opened++, floor, nowMs);
  }

  /**
   * Records a returned canary.
   *
   * @param sentMs time at which it was sent, by {@link HubClock#monoMs}
   */
  void addCanary(long floor, long sentMs) {
    List<Canary> old = canaries;
    List<Canary> more =
        new ArrayList<>(old.subList(Math.max(0, old.size() + 1 - MAX_CANARIES), old.size()));
    more.add(new Canary(floor, sentMs));
    canaries = List.copyOf(more);
  }

  /** Records that the round that ends now had a message late by more than the spread. */
  void onCongested(long nowMs) {
    congestedUntilMs = nowMs + holdMs + 1;
  }

  /**
   * Returns whether topics may starve. A backlog is not visible in every round: after congestion,
   * or with a busy processor, a whole round can pass without a message of a lagging topic.
   */
  boolean isCongested(long nowMs) {
    return nowMs < congestedUntilMs;
  }

  /** Returns whether a condition observed at a time may persist; the time may be {@link #NEVER}. */
  boolean isWithinHold(long observedMs, long nowMs) {
    return observedMs != NEVER && nowMs < observedMs + holdMs;
  }

  /**
   * Clears all evidence after the loss of the connection. No message is late until a canary
   * returns.
   */
  void clear() {
    current = null;
    congestedUntilMs = NEVER;
    canaries = List.of();
  }

  /** Returns the current round, or null. */
  Round current() {
    return current;
  }

  /**
   * Returns the lag of a message that arrives now: the time since the sending of the first canary
   * that the broker accepted after the message. The time since the canary's return would be too
   * short, because a congested connection delays canaries, too.
   */
  long lagMs(long sequence, long nowMs) {
    for (Canary canary : canaries) {
      if (sequence < canary.floor()) {
        return nowMs - canary.sentMs();
      }
    }
    return 0;
  }
}
