package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageEncoder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Subscriptions of a topic that receive each message as it arrives. There is one list per encoding,
 * so that the fan-out has no lookup or decision per subscriber; those with {@code latest} have
 * separate lists. Bound to the event loop of the topic's shard.
 */
final class LiveSubscriptions {
  /** Lists by encoding, followed by those of {@code latest}; null until the first subscription. */
  private final SubscriptionList[] lists = new SubscriptionList[2 * Encoding.COUNT];

  private final Consumer<SubscriptionState> onLagging;
  private final BiConsumer<SubscriptionState, Throwable> onFailed;

  /**
   * Creates empty lists.
   *
   * @param onLagging called with a {@code latest} subscription whose client's buffer is full; it
   *     removes the subscription
   * @param onFailed called with a subscription whose client failed to accept a message; it removes
   *     no subscription
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

  /** Returns the encodings in use, as a bit set of ordinals. */
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

  /** Returns any subscription, or null. */
  SubscriptionState any() {
    for (SubscriptionList list : lists) {
      if (size(list) > 0) {
        return list.members[list.size - 1];
      }
    }
    return null;
  }

  /** Begins a notice to all subscriptions, or to the binary ones only. */
  void beginNotice(boolean binaryOnly) {
    for (SubscriptionList list : lists) {
      if (size(list) > 0 && (!binaryOnly || list.members[0].subscriber.encoding().isBinary())) {
        list.beginNotice();
      }
    }
  }

  /** Returns whether the notice has not reached all subscriptions. */
  boolean isBeingNotified() {
    for (SubscriptionList list : lists) {
      if (list != null && !list.isNoticeComplete()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the next subscription to notify, or null if all have been notified. */
  SubscriptionState nextToNotify() {
    for (SubscriptionList list : lists) {
      if (list != null && !list.isNoticeComplete()) {
        return list.nextToNotify();
      }
    }
    return null;
  }

  /** Delivers messages to all subscriptions; returns the number of deliveries. */
  int deliver(MessageBatch messages, MessageEncoder encoder, FlushBatch batch) {
    int delivered = 0;
    for (int encoding = 0; encoding < Encoding.COUNT; encoding++) {
      SubscriptionList all = lists[encoding];
      SubscriptionList latest = lists[Encoding.COUNT + encoding];
      if (size(all) + size(latest) > 0) {
        ByteBuf frames = messages.frames(encoding, encoder);
        int accepted = size(all);
        if (accepted > 0) {
          deliver(all.members, accepted, frames);
        }
        if (size(latest) > 0) {
          accepted += deliverLatest(latest, frames);
        }
        batch.sent(accepted, messages.size(), frames.readableBytes());
        delivered += accepted;
      }
    }
    return delivered;
  }

  // The failure of one client must not affect the others.
  private void deliver(SubscriptionState[] members, int size, ByteBuf frames) {
    for (int i = 0; i < size; i++) {
      try {
        members[i].subscriber.onFrames(frames);
      } catch (RuntimeException | OutOfMemoryError e) {
        onFailed.accept(members[i], e);
      }
    }
  }

  // Backwards, because a removal moves the last subscription to the free index.
  private int deliverLatest(SubscriptionList list, ByteBuf frames) {
    int accepted = 0;
    for (int i = list.size - 1; i >= 0; i--) {
      SubscriptionState subscription = list.members[i];
      try {
        if (subscription.subscriber.offerFrames(frames)) {
          accepted++;
        } else {
          onLagging.accept(subscription);
        }
      } catch (RuntimeException | OutOfMemoryError e) {
        onFailed.accept(subscription, e);
      }
    }
    return accepted;
  }
}
