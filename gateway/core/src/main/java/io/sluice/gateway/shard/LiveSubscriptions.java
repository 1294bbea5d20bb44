package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.shard.CompressionWindow.StreamTraffic;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Subscriptions of a topic that receive each message as it arrives. There is one list per encoding,
 * so that the fan-out has no lookup or decision per subscriber; those with {@code latest} have
 * separate lists. Bound to the event loop of the topic's shard.
 */
final class LiveSubscriptions {
  /**
   * Lists of plain clients by encoding, and of those with a window or with compressed frames in
   * JSON and in binary.
   */
  private static final int KINDS = Encoding.COUNT + 2;

  private static final int JSON_STREAM = Encoding.COUNT;
  private static final int BINARY_STREAM = Encoding.COUNT + 1;

  /** Lists by kind, followed by those of {@code latest}; null until the first subscription. */
  private final SubscriptionList[] lists = new SubscriptionList[2 * KINDS];

  /**
   * Forms of the latest messages for these clients, in JSON and in binary: those of the next
   * message, unless clients join or miss a message.
   */
  private final int[] streamForms = {
    1 << MessageForm.seed(false).ordinal(), 1 << MessageForm.seed(true).ordinal()
  };

  /** Number of subscriptions whose client has a window or accepts compressed frames. */
  private int streamCount;

  private final StreamDelivery streams;
  private final StreamTraffic stream;
  private final Consumer<SubscriptionState> onLagging;
  private final BiConsumer<SubscriptionState, Throwable> onFailed;

  /**
   * Creates empty lists.
   *
   * @param streams delivery to clients with a window or with compressed frames
   * @param onLagging called with a {@code latest} subscription whose client's buffer is full; it
   *     removes the subscription
   * @param onFailed called with a subscription whose client failed to accept a message; it removes
   *     no subscription
   */
  LiveSubscriptions(
      StreamDelivery streams,
      StreamTraffic stream,
      Consumer<SubscriptionState> onLagging,
      BiConsumer<SubscriptionState, Throwable> onFailed) {
    this.streams = streams;
    this.stream = stream;
    this.onLagging = onLagging;
    this.onFailed = onFailed;
  }

  void add(SubscriptionState added) {
    int index = index(added);
    if (lists[index] == null) {
      lists[index] = new SubscriptionList();
    }
    lists[index].add(added);
    streamCount += added.isStream() ? 1 : 0;
  }

  void remove(SubscriptionState removed) {
    lists[index(removed)].remove(removed);
    streamCount -= removed.isStream() ? 1 : 0;
  }

  private static int index(SubscriptionState subscription) {
    Encoding encoding = subscription.subscriber.encoding();
    int kind = encoding.ordinal();
    if (subscription.isStream()) {
      kind = encoding.isBinary() ? BINARY_STREAM : JSON_STREAM;
    }
    return subscription.delivery.latest() ? KINDS + kind : kind;
  }

  /** Returns the {@link MessageForm}s in use, as a bit set of ordinals. */
  int encodings() {
    int used = 0;
    for (int i = 0; i < lists.length; i++) {
      int kind = i % KINDS;
      if (size(lists[i]) > 0) {
        used |= kind < Encoding.COUNT ? 1 << kind : streamForms[kind - Encoding.COUNT];
      }
    }
    return used;
  }

  /** Returns whether any client may need the previous message as dictionary. */
  boolean hasStreams() {
    return streamCount > 0;
  }

  private boolean hasStreams(int kind) {
    return size(lists[kind]) + size(lists[KINDS + kind]) > 0;
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

  /**
   * Delivers messages to all subscriptions; returns the number of deliveries.
   *
   * @param previous the entry before the first message in the log, or null
   */
  int deliver(MessageBatch messages, MessageEncoder encoder, FlushBatch batch, LogEntry previous) {
    int delivered = deliver(messages, encoder, batch);
    return streamCount == 0 ? delivered : delivered + deliverStreams(messages, previous);
  }

  private int deliverStreams(MessageBatch messages, LogEntry previous) {
    int delivered = 0;
    streams.count(messages, stream);
    for (int kind = JSON_STREAM; kind <= BINARY_STREAM; kind++) {
      if (hasStreams(kind)) {
        delivered += deliverStream(kind, messages, previous);
      }
    }
    return delivered;
  }

  private int deliverStream(int kind, MessageBatch messages, LogEntry previous) {
    StreamDelivery.LiveRuns runs = streams.begin(messages, kind == BINARY_STREAM, previous, stream);
    SubscriptionList all = lists[kind];
    for (int i = 0; i < size(all); i++) {
      try {
        runs.send(all.members[i]);
      } catch (RuntimeException | OutOfMemoryError e) {
        onFailed.accept(all.members[i], e);
      }
    }
    SubscriptionList latest = lists[KINDS + kind];
    for (int i = size(latest) - 1; i >= 0; i--) {
      offer(runs, latest.members[i]);
    }
    if (runs.forms() != 0) { // not if no frame could be allocated
      streamForms[kind - Encoding.COUNT] = runs.forms();
    }
    return runs.end();
  }

  private void offer(StreamDelivery.LiveRuns runs, SubscriptionState subscription) {
    try {
      if (!runs.offer(subscription)) {
        onLagging.accept(subscription);
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      onFailed.accept(subscription, e);
    }
  }

  private int deliver(MessageBatch messages, MessageEncoder encoder, FlushBatch batch) {
    int delivered = 0;
    for (int encoding = 0; encoding < Encoding.COUNT; encoding++) {
      SubscriptionList all = lists[encoding];
      SubscriptionList latest = lists[KINDS + encoding];
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
        if (Encoding.at(encoding).isDeflated()) {
          messages.count(encoding, accepted, encoder, batch.compression());
        }
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
