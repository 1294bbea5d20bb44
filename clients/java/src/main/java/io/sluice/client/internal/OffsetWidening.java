package io.sluice.client.internal;

/** Full offsets of one subscription's messages from their low 32 bits. */
final class OffsetWidening {
  private static final long LOW = 0xffffffffL;

  private final long answer;
  private long previous;
  private long replayLeft;

  /** Creates the state after an answer with this offset, and with a replay. */
  OffsetWidening(long answer, long replay) {
    this.answer = answer;
    previous = answer;
    replayLeft = replay;
  }

  /** Returns the state after a gap, which ends a replay. */
  static OffsetWidening after(long gap) {
    return new OffsetWidening(gap, 0);
  }

  /** Returns the full offset of the next message. */
  long widen(long low) {
    if (replayLeft > 0) {
      replayLeft--;
      // The largest number up to that of the answer.
      return answer - ((answer - low) & LOW);
    }
    previous = above(previous, low);
    return previous;
  }

  /** Returns the smallest number above another one with these low bits. */
  static long above(long previous, long low) {
    long next = previous + 1;
    return next + ((low - next) & LOW);
  }
}
