package io.sluice.gateway.feed;

/**
 * Schedule of a feed: evenly spaced due times, computed from the start to avoid drift. Confined to
 * the feed's thread.
 */
final class FeedSchedule {
  /** Delay above which a feed skips the overdue messages instead of sending them as a burst. */
  static final long MAX_DELAY_NS = 1_000_000_000;

  private final double intervalNs;
  private long startNs;
  private long next;

  FeedSchedule(double messagesPerSecond, long startNs) {
    this.intervalNs = 1e9 / messagesPerSecond;
    this.startNs = startNs;
  }

  /** Returns the due time of the next message. */
  long dueNs() {
    return startNs + (long) (next * intervalNs);
  }

  /** Returns the topic of the next message, in round-robin order including skipped messages. */
  int topic(int topics) {
    return (int) (next % topics);
  }

  /** Advances to the next message after one was sent. */
  void advance() {
    next++;
  }

  /**
   * Skips all overdue messages if the next one is more than {@link #MAX_DELAY_NS} late. Returns
   * their number.
   */
  long skip(long nowNs) {
    if (nowNs - dueNs() <= MAX_DELAY_NS) {
      return 0;
    }
    return skipTo((long) ((nowNs - startNs) / intervalNs));
  }

  /** Skips all overdue messages. Returns their number. */
  long skipAll(long nowNs) {
    return dueNs() >= nowNs ? 0 : skipTo((long) Math.ceil((nowNs - startNs) / intervalNs));
  }

  private long skipTo(long due) {
    long skipped = due - next;
    next = due;
    return skipped;
  }

  /** Restarts the schedule: the next message is due at that time. */
  void restart(long nowNs) {
    startNs = nowNs;
    next = 0;
  }
}
