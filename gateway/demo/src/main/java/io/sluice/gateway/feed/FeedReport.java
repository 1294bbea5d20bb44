package io.sluice.gateway.feed;

import java.util.Locale;

/**
 * Figures of a feed over an interval. Immutable, for any thread.
 *
 * @param sent number of messages passed to the JMS client
 * @param skipped number of messages that were not sent: the feed was more than one second late, a
 *     send failed, or they were overdue at the end
 * @param seconds duration of the interval
 * @param lateness delays of the sent messages after their due times
 */
public record FeedReport(long sent, long skipped, double seconds, Lateness lateness) {
  /** Returns the messages sent per second. */
  public double rate() {
    return sent / seconds;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%.1f messages/s, %d sent in %.1f s, %d skipped; late: %s",
        rate(),
        sent,
        seconds,
        skipped,
        lateness);
  }
}
