package io.sluice.gateway.hosts;

import java.util.Arrays;

/** When something has happened, again and again. Bound to the clients' thread. */
final class Moments {
  private long[] ns = new long[64];
  private int count;

  /** It happens now. */
  void add() {
    if (count == ns.length) {
      ns = Arrays.copyOf(ns, 2 * count);
    }
    ns[count++] = System.nanoTime();
  }

  /** How often within so long, at most. */
  int most(long withinNs) {
    int most = 0;
    int first = 0;
    for (int last = 0; last < count; last++) {
      while (ns[last] - ns[first] >= withinNs) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  /** Forgets them. */
  void clear() {
    count = 0;
  }
}
