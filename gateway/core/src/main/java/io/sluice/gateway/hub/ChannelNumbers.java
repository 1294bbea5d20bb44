package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.CompressedFrame;
import java.util.BitSet;

/** Pool of the channel numbers of a node, each in use at most once. Any thread may call it. */
final class ChannelNumbers {
  private final BitSet used = new BitSet();
  private final int limit;
  private int next;
  private int streams;
  private volatile int count;

  /** Creates a pool of the numbers from 0 to {@code limit} - 1. */
  ChannelNumbers(int limit) {
    this.limit = limit;
  }

  /** Acquires a free number, or returns -1. Released numbers are reused as late as possible. */
  synchronized int acquire() {
    int number = used.nextClearBit(next);
    if (number >= limit) {
      number = used.nextClearBit(0);
      if (number >= limit) {
        return -1;
      }
    }
    used.set(number);
    count = count + 1;
    next = number + 1;
    return number;
  }

  /** Returns the next number of a stream, which repeats only after 2^28 others. */
  synchronized int nextStream() {
    return streams++ & CompressedFrame.MAX_STREAM;
  }

  /** Releases a number in use. */
  synchronized void release(int number) {
    if (!used.get(number)) {
      throw new IllegalStateException("channel number " + number + " is not in use");
    }
    used.clear(number);
    count = count - 1;
  }

  /** Returns whether fewer than half of the numbers are free. */
  boolean isScarce() {
    return count > limit / 2;
  }
}
