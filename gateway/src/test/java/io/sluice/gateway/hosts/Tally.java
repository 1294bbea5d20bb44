package io.sluice.gateway.hosts;

/**
 * Check that each message of a numbered topic is received once, or a gap is reported for it. Bound
 * to the clients' thread.
 */
final class Tally {
  private boolean begun;
  private long last;

  /** Set if a gap was reported after the last message. */
  private boolean hole;

  /** Set if the following messages may be repetitions. */
  private boolean restarted;

  private long received;
  private long lost;
  private long duplicates;
  private long gaps;

  /**
   * Adds a message.
   *
   * @param number its number
   * @param before number of the previous message
   */
  void onMessage(long number, long before) {
    received++;
    if (begun && !restarted) {
      compare(number, before);
    }
    last = begun && !restarted ? Math.max(last, number) : number;
    begun = true;
    hole = false;
    restarted = false;
  }

  private void compare(long number, long before) {
    if (number <= last) {
      duplicates++;
    } else if (before > last && !hole) {
      lost += before - last;
    }
  }

  /**
   * Adds a gap.
   *
   * @param restarts whether the client was notified that the subscription starts again
   */
  void onGap(boolean restarts) {
    gaps++;
    hole = true;
    restarted |= restarts;
  }

  /** Returns the number of the latest message; 0 before the first one. */
  long last() {
    return last;
  }

  long received() {
    return received;
  }

  /** Returns the number of messages that are missing without a gap. */
  long lost() {
    return lost;
  }

  /** Returns the number of messages that were repeated or out of order. */
  long duplicates() {
    return duplicates;
  }

  /** Returns the number of gaps. */
  long gaps() {
    return gaps;
  }
}
