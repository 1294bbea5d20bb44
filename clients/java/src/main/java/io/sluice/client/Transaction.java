package io.sluice.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Content of a transaction, collected by the function that the application passes. */
public final class Transaction {
  private final List<Map<String, Object>> publishes = new ArrayList<>();
  private final List<Delivery> deliveries = new ArrayList<>();

  Transaction() {}

  /** Publishes a message when the transaction is committed. */
  public Transaction publish(Destination destination, Object payload) {
    return publish(destination, payload, PublishOptions.DEFAULT);
  }

  /** Publishes a message with options, except for an id. */
  public Transaction publish(Destination destination, Object payload, PublishOptions options) {
    Map<String, Object> members = new LinkedHashMap<>(destination.member());
    Payload.encode(payload, members);
    members.putAll(options.members("id"));
    publishes.add(members);
    return this;
  }

  /** Acknowledges a message when the transaction is committed; all belong to one consumer. */
  public Transaction ack(Delivery delivery) {
    deliveries.add(delivery);
    return this;
  }

  /** Returns the connection of the acknowledged messages; null if there are none. */
  Connection connection() {
    return deliveries.isEmpty() ? null : deliveries.get(0).connection();
  }

  Map<String, Object> frame() {
    SubscribeOptions.check(
        publishes.size() + deliveries.size() > 0, "a transaction must not be empty");
    Map<String, Object> frame = SluiceClient.frame("transaction");
    frame.put("publish", publishes);
    if (!deliveries.isEmpty()) {
      List<Object> acks = new ArrayList<>();
      deliveries.forEach(delivery -> acks.add(delivery.reference()));
      frame.put("ack", acks);
    }
    return frame;
  }

  /** Records the commit: the messages are settled. */
  void onCommitted() {
    deliveries.forEach(Delivery::markSettled);
  }
}
