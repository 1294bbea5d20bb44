package io.sluice.gateway.history;

import java.util.Arrays;

/**
 * Bounded set of the identities of the latest messages: 16 to 24 bytes each, taken as they are
 * needed. Bound to whoever holds its owner's lock.
 */
public final class RecentIdentities {
  private static final int FIRST_CAPACITY = 16;

  private final int limit;

  /** In the order in which they came; from {@link #next} on the oldest ones, once it is full. */
  private long[] ring;

  /** Open addressing: the position of an identity in the ring, plus one; 0 where there is none. */
  private int[] table;

  private int count;
  private int next;

  /**
   * Creates an empty memory.
   *
   * @param limit most identities, at least 1; one more makes it forget the oldest
   */
  public RecentIdentities(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("a memory of " + limit + " identities");
    }
    this.limit = limit;
    allocate(new long[Math.min(FIRST_CAPACITY, limit)]);
  }

  /** Whether an identity is remembered. */
  public boolean contains(long identity) {
    return table[slotOf(identity)] != 0;
  }

  /** Remembers an identity; false if it was there, which leaves everything as it is. */
  public boolean add(long identity) {
    if (contains(identity)) {
      return false;
    }
    if (count < ring.length) {
      count++;
    } else if (count < limit) {
      grow();
      count++;
    } else {
      forget(ring[next]);
    }
    ring[next] = identity;
    table[slotOf(identity)] = next + 1;
    next = next + 1 == limit ? 0 : next + 1;
    return true;
  }

  // Until it has as many as it may, nothing is forgotten, so the ring begins with the oldest.
  private void grow() {
    allocate(Arrays.copyOf(ring, (int) Math.min(2L * ring.length, limit)));
    for (int position = 0; position < count; position++) {
      table[slotOf(ring[position])] = position + 1;
    }
  }

  private void allocate(long[] identities) {
    ring = identities;
    table = new int[2 * Integer.highestOneBit(2 * identities.length - 1)];
  }

  /** The slot that holds an identity, or the free one where it belongs. */
  private int slotOf(long identity) {
    int slot = home(identity);
    while (table[slot] != 0 && ring[table[slot] - 1] != identity) {
      slot = after(slot);
    }
    return slot;
  }

  // What stood behind it because its own place was taken moves up, or it would not be found.
  private void forget(long identity) {
    int free = slotOf(identity);
    table[free] = 0;
    for (int slot = after(free); table[slot] != 0; slot = after(slot)) {
      int home = home(ring[table[slot] - 1]);
      if (distance(home, slot) >= distance(free, slot)) {
        table[free] = table[slot];
        table[slot] = 0;
        free = slot;
      }
    }
  }

  // Identities are hashes already. The length is a power of two.
  private int home(long identity) {
    return (int) identity & table.length - 1;
  }

  private int after(int slot) {
    return slot + 1 & table.length - 1;
  }

  private int distance(int from, int to) {
    return to - from & table.length - 1;
  }
}
