package io.sluice.gateway.feed;

import java.util.Locale;

/**
 * Figures of a feed since its previous report. Immutable, for any thread.
 *
 * @param sent number of messages passed to the JMS client
 * @param skipped number of messages skipped because the feed was more than one second late
 * @param seconds duration of the reported interval
 * @param meanLateNs mean delay of a message after its due time
 * @param maxLateNs maximum delay of a message after its due time
 */
public record FeedReport(
    long sent, long skipped, double seconds, double meanLateNs, long maxLateNs) {
  /** Returns the messages sent per second. */
  public double rate() {
    return sent / seconds;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%.1f messages/s, %d sent in %.1f s, late %.3f ms on average and %.3f ms at most, %d"
            + " skipped",
        rate(),
        sent,
        seconds,
        meanLateNs / 1e6,
        maxLateNs / 1e6,
        skipped);
  }
}
