package io.sluice.gateway.hosts;

/**
 * Whether each message of a numbered topic comes once, or a gap was told in its place. Bound to the
 * clients' thread.
 */
final class Tally {
  private boolean begun;
  private long last;

  /** A gap was told behind the last message. */
  private boolean hole;

  /** What comes next may have come before. */
  private boolean anew;

  private long received;
  private long lost;
  private long doubled;
  private long told;

  /**
   * A message has come.
   *
   * @param number its own
   * @param before that of the message before it
   */
  void onMessage(long number, long before) {
    received++;
    if (begun && !anew) {
      compare(number, before);
    }
    last = begun && !anew ? Math.max(last, number) : number;
    begun = true;
    hole = false;
    anew = false;
  }

  private void compare(long number, long before) {
    if (number <= last) {
      doubled++;
    } else if (before > last && !hole) {
      lost += before - last;
    }
  }

  /**
   * A gap was told.
   *
   * @param beginsAnew whether the client was told, too, that it begins anew
   */
  void onGap(boolean beginsAnew) {
    told++;
    hole = true;
    anew |= beginsAnew;
  }

  /** The number of the latest message; 0 before the first. */
  long last() {
    return last;
  }

  long received() {
    return received;
  }

  /** Messages that are missing without a word. */
  long lost() {
    return lost;
  }

  /** Messages that came twice, or late. */
  long doubled() {
    return doubled;
  }

  /** Gaps. */
  long told() {
    return told;
  }
}
