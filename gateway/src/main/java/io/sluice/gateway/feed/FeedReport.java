package io.sluice.gateway.feed;

import java.util.Locale;

/**
 * What a feed did since its last report. Immutable, for any thread.
 *
 * @param sent messages handed to the JMS client
 * @param skipped messages left out because the feed was too late
 * @param seconds the time that is reported on
 * @param meanLateNs mean time from due to sent
 * @param maxLateNs the longest
 */
public record FeedReport(
    long sent, long skipped, double seconds, double meanLateNs, long maxLateNs) {
  /** Messages a second. */
  public double rate() {
    return sent / seconds;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%.1f messages/s, %d sent in %.1f s, late %.3f ms on average and %.3f ms at most, %d left"
            + " out",
        rate(),
        sent,
        seconds,
        meanLateNs / 1e6,
        maxLateNs / 1e6,
        skipped);
  }
}
