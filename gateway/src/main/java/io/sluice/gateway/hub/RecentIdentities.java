package io.sluice.gateway.hub;

/**
 * The latest identities of messages, so that one that comes again is known. For one thread at a
 * time.
 *
 * <p>A hash table with open addressing, half full at most, and a ring with the order in which they
 * came. Identities are hashes already.
 */
final class RecentIdentities {
  private final long[] ring;
  private final long[] table;
  private final boolean[] taken;
  private int size;
  private int next;

  /**
   * Creates an empty memory.
   *
   * @param most how many it keeps; a power of two
   */
  RecentIdentities(int most) {
    if (Integer.bitCount(most) != 1) {
      throw new IllegalArgumentException("not a power of two: " + most);
    }
    ring = new long[most];
    table = new long[2 * most];
    taken = new boolean[2 * most];
  }

  boolean contains(long identity) {
    return taken[slot(identity)];
  }

  /** Remembers an identity and forgets the oldest one for it; false if it is remembered already. */
  boolean add(long identity) {
    if (contains(identity)) {
      return false;
    }
    if (size == ring.length) {
      remove(ring[next]);
    } else {
      size++;
    }
    ring[next] = identity;
    next = next + 1 & ring.length - 1;
    int slot = slot(identity);
    table[slot] = identity;
    taken[slot] = true;
    return true;
  }

  /** Where an identity is, or where it would be put. */
  private int slot(long identity) {
    int slot = home(identity);
    while (taken[slot] && table[slot] != identity) {
      slot = after(slot);
    }
    return slot;
  }

  private int home(long identity) {
    return (int) identity & table.length - 1;
  }

  private int after(int slot) {
    return slot + 1 & table.length - 1;
  }

  // What stands behind it moves up, as far as it may: none may become unreachable from its home.
  private void remove(long identity) {
    int hole = slot(identity);
    for (int slot = after(hole); taken[slot]; slot = after(slot)) {
      int steps = slot - home(table[slot]) & table.length - 1;
      if (steps >= (slot - hole & table.length - 1)) {
        table[hole] = table[slot];
        hole = slot;
      }
    }
    taken[hole] = false;
  }
}
