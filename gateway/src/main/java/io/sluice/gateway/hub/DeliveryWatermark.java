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
  private static final int MOST_ROUNDS = 64;

  /**
   * A canary that has returned.
   *
   * @param floor the broker's number of the canary: what has a smaller one was accepted before
   * @param openedMs when it returned, by {@link HubClock#monoMs}
   */
  record Round(int number, long floor, long openedMs) {}

  /** The latest rounds, oldest first; empty until a canary has returned. */
  private volatile List<Round> rounds = List.of();

  private int opened;

  /**
   * A canary has returned.
   *
   * @param sequence the broker's number of the canary, or {@link Long#MAX_VALUE} if the broker does
   *     not number messages: then every message of the round counts as late
   */
  void open(long sequence, long nowMs) {
    List<Round> old = rounds;
    List<Round> more =
        new ArrayList<>(old.subList(Math.max(0, old.size() + 1 - MOST_ROUNDS), old.size()));
    more.add(new Round(opened++, sequence, nowMs));
    rounds = List.copyOf(more);
  }

  /** The connection is lost: nothing is late until a canary returns. */
  void clear() {
    rounds = List.of();
  }

  /** The current round, or null. */
  Round current() {
    List<Round> now = rounds;
    return now.isEmpty() ? null : now.get(now.size() - 1);
  }

  /**
   * Returns by how much a message lags at least that arrives now: the time since the first canary
   * returned that the broker had accepted after the message.
   */
  long lagMs(long sequence, long nowMs) {
    for (Round round : rounds) {
      if (sequence < round.floor()) {
        return nowMs - round.openedMs();
      }
    }
    return 0;
  }
}
