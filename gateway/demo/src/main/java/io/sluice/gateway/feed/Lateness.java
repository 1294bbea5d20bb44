package io.sluice.gateway.feed;

import java.util.Locale;

/**
 * Distribution of a feed's delays: from a message's due time until the JMS client has accepted it.
 * In nanoseconds. Immutable, for any thread.
 *
 * @param p50 median
 * @param p99 99th percentile
 * @param p999 99.9th percentile
 */
public record Lateness(double mean, long p50, long p99, long p999, long max) {
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "mean %.3f, p50 %.3f, p99 %.3f, p99.9 %.3f, max %.3f ms",
        mean / 1e6,
        p50 / 1e6,
        p99 / 1e6,
        p999 / 1e6,
        max / 1e6);
  }
}
