package io.sluice.gateway.history;

import java.util.Arrays;

/**
 * Bounded set of the identities of the latest messages. It uses 16 to 24 bytes per identity and
 * grows on demand. Not thread-safe; its owner serializes the calls.
 */
public final class RecentIdentities {
  private static final int INITIAL_CAPACITY = 16;

  private final int limit;

  /** Identities in the order of arrival. Once it is full, {@link #next} is the oldest one. */
  private long[] ring;

  /** Open-addressing hash table of ring indexes plus one; 0 marks a free slot. */
  private int[] table;

  private int count;
  private int next;

  /**
   * Creates an empty set.
   *
   * @param limit maximum number of identities, at least 1; one more evicts the oldest
   */
  public RecentIdentities(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit of identities is " + limit + ", minimum is 1");
    }
    this.limit = limit;
    allocate(new long[Math.min(INITIAL_CAPACITY, limit)]);
  }

  /** Returns whether the set contains an identity. */
  public boolean contains(long identity) {
    return table[slotOf(identity)] != 0;
  }

  /** Adds an identity; returns false, without a change, if it is already in the set. */
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
      evict(ring[next]);
    }
    ring[next] = identity;
    table[slotOf(identity)] = next + 1;
    next = next + 1 == limit ? 0 : next + 1;
    return true;
  }

  // Nothing is evicted below the limit, hence the ring begins with the oldest identity.
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

  /** Returns the slot of an identity, or the free slot in which to insert it. */
  private int slotOf(long identity) {
    int slot = home(identity);
    while (table[slot] != 0 && ring[table[slot] - 1] != identity) {
      slot = after(slot);
    }
    return slot;
  }

  // Backward-shift deletion: displaced entries behind the free slot move up, or probing for them
  // would end at the free slot.
  private void evict(long identity) {
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

  // Identities are hashes. The length is a power of two.
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
