package io.sluice.gateway.shard;

import java.util.Arrays;

/**
 * List of a topic's live subscriptions in one encoding. Bound to the shard's event loop.
 *
 * <p>A notice for all of them may take several batches, between which subscriptions are added and
 * removed. Those with an index below {@link #unnotified} have not received it; new ones are above.
 * The array shrinks after most subscriptions have ended.
 */
final class SubscriptionList {
  private static final int MIN_CAPACITY = 4;

  /** The subscriptions, for the fan-out. */
  SubscriptionState[] members = new SubscriptionState[MIN_CAPACITY];

  int size;
  private int unnotified;

  void add(SubscriptionState added) {
    if (size == members.length) {
      members = Arrays.copyOf(members, size + (size >> 1));
    }
    place(added, size++);
  }

  /** Removes a subscription; the others stay on the same side of the notice. */
  void remove(SubscriptionState removed) {
    int hole = removed.index;
    if (hole < unnotified) {
      unnotified--;
      place(members[unnotified], hole);
      hole = unnotified;
    }
    place(members[--size], hole);
    members[size] = null;
    if (size < members.length / 4 && members.length > MIN_CAPACITY) {
      members = Arrays.copyOf(members, members.length / 2);
    }
  }

  private void place(SubscriptionState subscription, int index) {
    members[index] = subscription;
    subscription.index = index;
  }

  /** Begins a notice to all current subscriptions. */
  void beginNotice() {
    unnotified = size;
  }

  /** Returns whether all subscriptions have been notified. */
  boolean isNoticeComplete() {
    return unnotified == 0;
  }

  /** Returns the next subscription to notify. */
  SubscriptionState nextToNotify() {
    return members[--unnotified];
  }
}
