package io.sluice.gateway.streams.read;

import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

/**
 * Cursors of live reads, as in Durable Streams: the number of an interval. Requests of an interval
 * have the same URL, so that a cache forwards one of them. Stateless, for any thread.
 */
final class StreamCursor {
  /** 2024-10-09T00:00:00Z, the beginning of the first interval. */
  private static final long BEGIN_MS = 1_728_432_000_000L;

  private static final long INTERVAL_MS = TimeUnit.SECONDS.toMillis(20);

  /** Largest step beyond a cursor that is not in the past, in intervals: one hour. */
  private static final int MAX_STEP = 180;

  /** Longer digits are no cursor of any node. */
  private static final int MAX_DIGITS = 15;

  private StreamCursor() {}

  /**
   * Returns the cursor of a response. It is greater than that of the request, because a cache would
   * otherwise answer the next request with this response.
   *
   * @param received cursor of the request, or null
   * @param random returns a number from 0 to its argument, exclusive
   */
  static long next(String received, long nowMs, IntUnaryOperator random) {
    long current = current(nowMs);
    long before = parse(received);
    return before < current ? current : before + 1 + random.applyAsInt(MAX_STEP);
  }

  /** Returns the number of the interval at a time. */
  static long current(long nowMs) {
    return Math.max(0, nowMs - BEGIN_MS) / INTERVAL_MS;
  }

  private static long parse(String received) {
    boolean isNumber =
        received != null
            && !received.isEmpty()
            && received.length() <= MAX_DIGITS
            && received.chars().allMatch(each -> each >= '0' && each <= '9');
    return isNumber ? Long.parseLong(received) : -1;
  }
}
