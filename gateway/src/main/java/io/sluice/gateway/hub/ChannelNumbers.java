package io.sluice.gateway.hub;

import java.util.BitSet;

/** The numbers of all channels of a node, each in use at most once. For any thread. */
final class ChannelNumbers {
  private final BitSet used = new BitSet();
  private final int limit;
  private int next;
  private volatile int count;

  /** Numbers from 0 to {@code limit} - 1. */
  ChannelNumbers(int limit) {
    this.limit = limit;
  }

  /** A free number, or -1. Numbers that were given back come again as late as possible. */
  synchronized int take() {
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

  synchronized void giveBack(int number) {
    if (!used.get(number)) {
      throw new IllegalStateException("channel number " + number + " is not in use");
    }
    used.clear(number);
    count = count - 1;
  }

  /** Whether fewer than half of the numbers are free. */
  boolean isScarce() {
    return count > limit / 2;
  }
}
