package io.sluice.gateway.broker;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The canaries that are on their way, and since when they are missed. A round is one canary on each
 * link; it has come back when all of them have. Any thread may call it.
 */
final class CanaryRounds {
  /** What {@link #onReturned} answers while canaries of the round are still on their way. */
  static final long INCOMPLETE = -1;

  /** A round so far behind is not waited for, but the silence since then still counts. */
  private static final int MOST_ROUNDS = 64;

  private record Round(long number, long sentMs, BitSet missing) {}

  private final int links;
  private final long intervalNanos;
  private final LongSupplier nanoTime;
  private final Deque<Round> rounds = new ArrayDeque<>();

  /** When the wait for the next round began; means nothing while no round is on its way. */
  private long waitingSince;

  /**
   * Creates an empty one.
   *
   * @param links how many canaries make a round
   * @param intervalMs how often a round begins
   */
  CanaryRounds(int links, long intervalMs, LongSupplier nanoTime) {
    this.links = links;
    this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMs);
    this.nanoTime = nanoTime;
    this.waitingSince = nanoTime.getAsLong();
  }

  /** A round is about to be sent; {@code sentMs} is the wall clock before its first canary. */
  synchronized void begin(long number, long sentMs) {
    if (rounds.isEmpty()) {
      // A process that was suspended has sent nothing meanwhile: that is no silence of the broker.
      long now = nanoTime.getAsLong();
      waitingSince = now - Math.min(now - waitingSince, intervalNanos);
    } else if (rounds.size() == MOST_ROUNDS) {
      rounds.removeFirst();
    }
    BitSet missing = new BitSet(links);
    missing.set(0, links);
    rounds.addLast(new Round(number, sentMs, missing));
  }

  /**
   * A canary has come back.
   *
   * @return when its round was sent, in milliseconds of the wall clock, if it is complete now;
   *     otherwise, or if the round is not known, {@link #INCOMPLETE}
   */
  synchronized long onReturned(int link, long number) {
    for (Round round : rounds) {
      if (round.number() == number) {
        round.missing().clear(link);
        return round.missing().isEmpty() ? complete(round) : INCOMPLETE;
      }
    }
    return INCOMPLETE;
  }

  // Earlier rounds would prove less.
  private long complete(Round proven) {
    while (rounds.removeFirst() != proven) {
      // until it is gone, too
    }
    waitingSince = nanoTime.getAsLong();
    return proven.sentMs();
  }

  /** Waits for none of them any more. */
  synchronized void clear() {
    rounds.clear();
  }

  /** For how long a round has been awaited in vain, in milliseconds; 0 while none is on its way. */
  synchronized long silentMs() {
    return rounds.isEmpty()
        ? 0
        : TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - waitingSince);
  }
}
