package io.sluice.gateway.broker;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;

/**
 * Canaries that have been sent and have not returned. A round is one canary for each link; it is
 * complete when all of them have returned. Any thread may call it.
 */
final class CanaryRounds {
  /** A round this far behind is not awaited, but the silence since then still counts. */
  private static final int MOST_ROUNDS = 64;

  /**
   * A complete round.
   *
   * @param number its number
   * @param sentMs wall clock before its first canary was sent
   * @param sequence the smallest of the broker's numbers of its canaries, or {@link
   *     Broker#NO_SEQUENCE}
   */
  record Returned(long number, long sentMs, long sequence) {}

  private static final class Round {
    private final long number;
    private final long sentMs;
    private final BitSet missing;
    private long sequence = Long.MAX_VALUE;

    Round(long number, long sentMs, int links) {
      this.number = number;
      this.sentMs = sentMs;
      this.missing = new BitSet(links);
      missing.set(0, links);
    }
  }

  private final int links;
  private final long intervalNanos;
  private final LongSupplier nanoTime;
  private final Deque<Round> rounds = new ArrayDeque<>();

  /** Start of the wait for the next round; meaningless while no round is outstanding. */
  private long waitingSince;

  /**
   * Creates an instance without rounds.
   *
   * @param links number of canaries of a round
   * @param intervalMs time between two rounds
   */
  CanaryRounds(int links, long intervalMs, LongSupplier nanoTime) {
    this.links = links;
    this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMs);
    this.nanoTime = nanoTime;
    this.waitingSince = nanoTime.getAsLong();
  }

  /** Adds a round that is about to be sent. */
  synchronized void begin(long number, long sentMs) {
    if (rounds.isEmpty()) {
      // A process that was suspended has sent nothing meanwhile: that is no silence of the broker.
      long now = nanoTime.getAsLong();
      waitingSince = now - Math.min(now - waitingSince, intervalNanos);
    } else if (rounds.size() == MOST_ROUNDS) {
      rounds.removeFirst();
    }
    rounds.addLast(new Round(number, sentMs, links));
  }

  /**
   * Notes the return of a canary.
   *
   * @param sequence the broker's number of the canary
   * @return its round if that is complete now, otherwise null
   */
  synchronized Returned onReturned(int link, long number, long sequence) {
    for (Round round : rounds) {
      if (round.number == number) {
        round.missing.clear(link);
        round.sequence = Math.min(round.sequence, sequence);
        return round.missing.isEmpty() ? complete(round) : null;
      }
    }
    return null;
  }

  // Earlier rounds would prove less.
  private Returned complete(Round proven) {
    while (rounds.removeFirst() != proven) {
      // until it is removed, too
    }
    waitingSince = nanoTime.getAsLong();
    return new Returned(proven.number, proven.sentMs, proven.sequence);
  }

  /** Forgets all rounds. */
  synchronized void clear() {
    rounds.clear();
  }

  /**
   * Returns for how long nothing has arrived over a link whose canary is missing, in milliseconds;
   * 0 while no round is outstanding. A link over which messages arrive is not silent, however late
   * its canary is.
   *
   * @param arrivalNs time of the latest message of a link, by the clock of this instance
   */
  synchronized long silentMs(IntToLongFunction arrivalNs) {
    Round oldest = rounds.peekFirst();
    if (oldest == null) {
      return 0;
    }
    long now = nanoTime.getAsLong();
    long longest = 0;
    for (int link = oldest.missing.nextSetBit(0);
        link >= 0;
        link = oldest.missing.nextSetBit(link + 1)) {
      long silent = Math.min(now - waitingSince, now - arrivalNs.applyAsLong(link));
      longest = Math.max(longest, silent);
    }
    return TimeUnit.NANOSECONDS.toMillis(longest);
  }
}
