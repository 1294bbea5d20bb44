package io.sluice.gateway.feed;

/**
 * The timetable of a feed: evenly spaced, computed from the start so that nothing adds up to a
 * drift. Confined to the feed's thread.
 */
final class Pace {
  /** A feed that is later than this leaves messages out instead of sending a burst. */
  static final long LATEST_NS = 1_000_000_000;

  private final double intervalNs;
  private long startNs;
  private long next;

  Pace(double messagesPerSecond, long startNs) {
    this.intervalNs = 1e9 / messagesPerSecond;
    this.startNs = startNs;
  }

  /** When the next message is due. */
  long dueNs() {
    return startNs + (long) (next * intervalNs);
  }

  /** Which of the topics the next message is for: each in turn, also after a message left out. */
  int topic(int topics) {
    return (int) (next % topics);
  }

  /** The next message was sent. */
  void advance() {
    next++;
  }

  /** Leaves out what can't be sent in time any more; the number of messages left out. */
  long skip(long nowNs) {
    if (nowNs - dueNs() <= LATEST_NS) {
      return 0;
    }
    long due = (long) ((nowNs - startNs) / intervalNs);
    long skipped = due - next;
    next = due;
    return skipped;
  }

  /** Moves the timetable: the next message is due at that time. */
  void restart(long nowNs) {
    startNs = nowNs;
    next = 0;
  }
}
