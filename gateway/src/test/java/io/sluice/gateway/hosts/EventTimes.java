package io.sluice.gateway.hosts;

import java.util.Arrays;

/** Times of a repeated event. Bound to the clients' thread. */
final class EventTimes {
  private long[] ns = new long[64];
  private int count;

  /** Adds the current time. */
  void add() {
    if (count == ns.length) {
      ns = Arrays.copyOf(ns, 2 * count);
    }
    ns[count++] = System.nanoTime();
  }

  /** Returns the maximum number of events within any interval of this length. */
  int maxWithin(long withinNs) {
    int max = 0;
    int first = 0;
    for (int last = 0; last < count; last++) {
      while (ns[last] - ns[first] >= withinNs) {
        first++;
      }
      max = Math.max(max, last - first + 1);
    }
    return max;
  }

  /** Removes all times. */
  void clear() {
    count = 0;
  }
}
