package io.sluice.client;

import io.sluice.client.internal.Frame;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Consumers of one client. All events are tasks of the dispatcher. */
final class Consumers {
  private final SluiceClient client;
  private final List<Consumer> all = new CopyOnWriteArrayList<>();

  /** Consumers at the nodes, also those on connections that the client has left. */
  private final Map<Long, Attachment> byRef = new HashMap<>();

  private Connection connection;

  Consumers(SluiceClient client) {
    this.client = client;
  }

  Consumer add(Map<String, Object> source, DeliveryHandler handler, ConsumeOptions options) {
    Consumer consumer = new Consumer(client, source, handler, options);
    client
        .dispatcher()
        .execute(
            () -> {
              all.add(consumer);
              request(consumer);
            });
    return consumer;
  }

  private void request(Consumer consumer) {
    if (connection != null && !consumer.isClosing()) {
      long ref = client.nextRef();
      byRef.put(ref, consumer.open(connection, ref));
    }
  }

  void remove(Consumer consumer) {
    all.remove(consumer);
    byRef.values().removeIf(attachment -> attachment.consumer() == consumer);
  }

  /** Returns whether consumers were requested on a connection. */
  boolean isAttached(Connection one) {
    return byRef.values().stream().anyMatch(attachment -> attachment.connection() == one);
  }

  /** Returns the number of messages of a connection that are not settled. */
  int pending(Connection one) {
    int sum = 0;
    for (Consumer consumer : all) {
      sum += consumer.pending(one);
    }
    return sum;
  }

  void onOpen(Connection opened) {
    connection = opened;
    all.forEach(this::request);
  }

  /** Pauses the consumers where they are, and requests them on another connection. */
  void onMove(Connection opened) {
    connection = opened;
    all.forEach(Consumer::pause);
    all.forEach(this::request);
  }

  void onEnd(Connection ended) {
    connection = connection == ended ? null : connection;
    byRef.values().removeIf(attachment -> attachment.connection() == ended);
    all.forEach(consumer -> consumer.onEnd(ended));
  }

  /** Returns whether a frame belongs to a consumer, and handles it. */
  boolean onFrame(Frame frame) {
    switch (frame.type()) {
      case "consuming":
      case "delivery":
      case "released":
        Attachment attachment = byRef.get(frame.ref());
        if (attachment != null) {
          attachment.consumer().onFrame(attachment, frame);
        }
        return true;
      case "error":
        return onError(frame);
      default:
        return false;
    }
  }

  /** Rejects a message that cannot be read, if its consumer and its tag can. */
  void onUnreadable(Frame frame) {
    Attachment attachment = byRef.get(frame.get("ref"));
    if (attachment != null && frame.get("tag") instanceof Long) {
      Map<String, Object> reject = SluiceClient.frame("reject");
      reject.put("ref", client.nextRef());
      reject.put("subscription", attachment.ref());
      reject.put("tag", frame.get("tag"));
      attachment.connection().send(reject);
    }
  }

  private boolean onError(Frame frame) {
    Attachment ended = frame.has("ref") ? byRef.remove(frame.ref()) : null;
    if (ended != null) {
      refuse(ended, Connection.error(frame));
      return true;
    }
    Attachment concerned =
        frame.has("subscription") ? byRef.get(frame.number("subscription")) : null;
    if (concerned != null) {
      concerned.consumer().onError(Connection.error(frame));
    }
    return concerned != null;
  }

  private void refuse(Attachment attachment, SluiceException error) {
    Consumer consumer = attachment.consumer();
    boolean isCurrent = consumer.onRefused(attachment, error);
    if (isCurrent && Subscriptions.TEMPORARY.contains(error.code())) {
      int failures = ++consumer.failures;
      client.retry(failures, () -> retry(consumer, failures));
    }
  }

  private void retry(Consumer consumer, int failures) {
    if (consumer.state() == ConsumerState.REFUSED && consumer.failures == failures) {
      request(consumer);
    }
  }

  /** Requests the refused consumers again, because the node has accepted another credential. */
  void onRefreshed() {
    all.forEach(consumer -> retry(consumer, consumer.failures));
  }

  void onClose() {
    connection = null;
    all.forEach(Consumer::onClose);
    all.clear();
  }
}
