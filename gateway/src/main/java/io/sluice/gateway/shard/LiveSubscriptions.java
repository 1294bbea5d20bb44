package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageEncoder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Subscriptions of a topic that are handed each message as it arrives. They stand in one list for
 * each encoding, so that the fan-out neither looks up nor decides anything per subscriber; those
 * with {@code latest} have lists of their own. Bound to the event loop of the topic's shard.
 */
final class LiveSubscriptions {
  /** By encoding; behind them the same for {@code latest}. Null where there was none yet. */
  private final SubscriptionList[] lists = new SubscriptionList[2 * Encoding.COUNT];

  private final Consumer<SubscriptionState> onLagging;
  private final BiConsumer<SubscriptionState, Throwable> onFailed;

  /**
   * @param onLagging takes a subscription with {@code latest} of which the client has no room for a
   *     message; it removes the subscription
   * @param onFailed takes a subscription whose client failed to accept a message; it removes none
   */
  LiveSubscriptions(
      Consumer<SubscriptionState> onLagging, BiConsumer<SubscriptionState, Throwable> onFailed) {
    this.onLagging = onLagging;
    this.onFailed = onFailed;
  }

  void add(SubscriptionState added) {
    int index = index(added);
    if (lists[index] == null) {
      lists[index] = new SubscriptionList();
    }
    lists[index].add(added);
  }

  void remove(SubscriptionState removed) {
    lists[index(removed)].remove(removed);
  }

  private static int index(SubscriptionState subscription) {
    int encoding = subscription.subscriber.encoding().ordinal();
    return subscription.delivery.latest() ? Encoding.COUNT + encoding : encoding;
  }

  /** The set of encodings of which there are subscriptions; bits by their ordinals. */
  int encodings() {
    int used = 0;
    for (int i = 0; i < lists.length; i++) {
      used |= size(lists[i]) > 0 ? 1 << i % Encoding.COUNT : 0;
    }
    return used;
  }

  private static int size(SubscriptionList list) {
    return list == null ? 0 : list.size;
  }

  /** Any one of them, or null. */
  SubscriptionState any() {
    for (SubscriptionList list : lists) {
      if (size(list) > 0) {
        return list.members[list.size - 1];
      }
    }
    return null;
  }

  /** Begins a notice to all of them, or to the binary ones only. */
  void beginNotice(boolean binaryOnly) {
    for (SubscriptionList list : lists) {
      if (size(list) > 0 && (!binaryOnly || list.members[0].subscriber.encoding().isBinary())) {
        list.tellAll();
      }
    }
  }

  /** Whether the notice has not reached all of them. */
  boolean isBeingNotified() {
    for (SubscriptionList list : lists) {
      if (list != null && !list.isTold()) {
        return true;
      }
    }
    return false;
  }

  /** The next one that the notice is for, or null if all have been notified. */
  SubscriptionState nextToNotify() {
    for (SubscriptionList list : lists) {
      if (list != null && !list.isTold()) {
        return list.nextUntold();
      }
    }
    return null;
  }

  /** Hands messages to all of them; returns to how many. */
  int deliver(MessageBatch run, MessageEncoder encoder, Batch batch) {
    int delivered = 0;
    for (int encoding = 0; encoding < Encoding.COUNT; encoding++) {
      SubscriptionList all = lists[encoding];
      SubscriptionList latest = lists[Encoding.COUNT + encoding];
      if (size(all) + size(latest) > 0) {
        ByteBuf frames = run.frames(encoding, encoder);
        int taken = size(all);
        if (taken > 0) {
          deliver(all.members, taken, frames);
        }
        if (size(latest) > 0) {
          taken += deliverLatest(latest, frames);
        }
        batch.sent(taken, run.size(), frames.readableBytes());
        delivered += taken;
      }
    }
    return delivered;
  }

  // A client that fails must not keep the messages from those behind it.
  private void deliver(SubscriptionState[] members, int size, ByteBuf frames) {
    for (int i = 0; i < size; i++) {
      try {
        members[i].subscriber.onFrames(frames);
      } catch (RuntimeException | OutOfMemoryError e) {
        onFailed.accept(members[i], e);
      }
    }
  }

  // From the end: the last one takes the place of one that leaves.
  private int deliverLatest(SubscriptionList list, ByteBuf frames) {
    int taken = 0;
    for (int i = list.size - 1; i >= 0; i--) {
      SubscriptionState subscription = list.members[i];
      try {
        if (subscription.subscriber.offerFrames(frames)) {
          taken++;
        } else {
          onLagging.accept(subscription);
        }
      } catch (RuntimeException | OutOfMemoryError e) {
        onFailed.accept(subscription, e);
      }
    }
    return taken;
  }
}
