package io.sluice.client;

import io.sluice.client.internal.Frame;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Consumers of one client. All events are tasks of the dispatcher. */
final class Consumers {
  private final SluiceClient client;
  private final List<Consumer> all = new CopyOnWriteArrayList<>();

  /** Consumers that were requested on this connection. */
  private final Map<Long, Consumer> byRef = new HashMap<>();

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
    if (connection != null) {
      long ref = client.nextRef();
      byRef.put(ref, consumer);
      consumer.open(connection, ref);
    }
  }

  void remove(Consumer consumer, long ref) {
    all.remove(consumer);
    byRef.remove(ref, consumer);
  }

  /** Returns the number of messages that are not settled; any thread may call it. */
  int pending() {
    int sum = 0;
    for (Consumer consumer : all) {
      sum += consumer.pending();
    }
    return sum;
  }

  void onOpen(Connection opened) {
    connection = opened;
    byRef.clear();
    all.forEach(this::request);
  }

  void onEnd() {
    connection = null;
    byRef.clear();
    all.forEach(Consumer::onEnd);
  }

  void pause() {
    active().forEach(Consumer::pause);
  }

  private Collection<Consumer> active() {
    return new ArrayList<>(byRef.values());
  }

  void onConsuming(Frame frame) {
    Consumer consumer = byRef.get(frame.ref());
    if (consumer != null) {
      consumer.failures = 0;
      consumer.onState(ConsumerState.CONSUMING);
    }
  }

  void onDelivery(Frame frame) {
    Consumer consumer = byRef.get(frame.ref());
    if (consumer != null) {
      consumer.onDelivery(frame);
    }
  }

  void onReleased(Frame frame) {
    Consumer consumer = byRef.get(frame.ref());
    if (consumer != null) {
      consumer.onReleased(frame);
    }
  }

  /** Returns whether the error belongs to a consumer. */
  boolean onError(Frame frame) {
    SluiceException error = Connection.error(frame);
    Consumer ended = frame.has("ref") ? byRef.remove(frame.ref()) : null;
    if (ended != null) {
      refuse(ended, error);
      return true;
    }
    Consumer concerned = frame.has("subscription") ? byRef.get(frame.number("subscription")) : null;
    if (concerned != null) {
      concerned.onError(error);
    }
    return concerned != null;
  }

  private void refuse(Consumer consumer, SluiceException error) {
    consumer.onRefused(error);
    if (Subscriptions.TEMPORARY.contains(error.code())) {
      client.retry(++consumer.failures, () -> retry(consumer));
    }
  }

  private void retry(Consumer consumer) {
    if (consumer.state() == ConsumerState.REFUSED) {
      request(consumer);
    }
  }

  void onClose() {
    connection = null;
    all.forEach(Consumer::onClose);
    all.clear();
  }
}
