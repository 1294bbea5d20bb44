package io.sluice.gateway.shard;

import java.util.Arrays;

/**
 * The subscriptions of one topic that are handed every message as it comes, in one encoding. Bound
 * to the shard's event loop.
 *
 * <p>A notice for all of them may take several turns, in which subscriptions come and go. Those
 * below {@link #untold} have yet to get it; new ones stand above.
 */
final class SubscriptionList {
  private static final int FIRST_CAPACITY = 4;

  /** The subscriptions, for the fan-out. */
  SubscriptionState[] members = new SubscriptionState[FIRST_CAPACITY];

  int size;
  private int untold;

  void add(SubscriptionState added) {
    if (size == members.length) {
      members = Arrays.copyOf(members, size + (size >> 1));
    }
    place(added, size++);
  }

  /** Takes one out; the others keep their side of the notice. */
  void remove(SubscriptionState removed) {
    int hole = removed.index;
    if (hole < untold) {
      untold--;
      place(members[untold], hole);
      hole = untold;
    }
    place(members[--size], hole);
    members[size] = null;
  }

  private void place(SubscriptionState subscription, int index) {
    members[index] = subscription;
    subscription.index = index;
  }

  /** Begins a notice for all that are here now. */
  void tellAll() {
    untold = size;
  }

  boolean isTold() {
    return untold == 0;
  }

  /** The next one that the notice is for. */
  SubscriptionState nextUntold() {
    return members[--untold];
  }
}
