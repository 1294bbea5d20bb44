package io.sluice.loadtest;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Position of the measured clients in the order in which all clients of a run subscribe. A fan-out
 * may serve earlier subscribers first. Immutable, for any thread.
 */
enum ClientPosition {
  /** Measured clients subscribe at random times between the clients of the load generators. */
  RANDOM,
  /** Measured clients subscribe before the clients of the load generators. */
  FIRST,
  /** Measured clients subscribe after the clients of the load generators. */
  LAST;

  static ClientPosition of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /**
   * Returns the delay after which each measured client connects.
   *
   * @param spread duration in which the clients connect
   */
  List<Duration> delays(int measured, Duration spread, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long nanos = Math.max(1, spread.toNanos());
    return IntStream.range(0, measured)
        .mapToLong(i -> this == RANDOM ? random.nextLong(nanos) : nanos * i / measured)
        .mapToObj(Duration::ofNanos)
        .toList();
  }
}
