package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;

/** Events of an interest, in order. For any thread. */
final class TopicEvents implements TopicListener {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final List<String> events = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();
  private final List<StreamPlace> places = new CopyOnWriteArrayList<>();
  private volatile Broker.Consumer consumer;
  private volatile boolean full;

  void consumer(Broker.Consumer opened) {
    consumer = opened;
  }

  Broker.Consumer consumer() {
    return consumer;
  }

  void full(boolean isFull) {
    full = isFull;
  }

  /**
   * Returns messages by their text, and "stream", "stream again", "active", "missed REASON",
   * "refused CODE WHY".
   */
  synchronized List<String> all() {
    return List.copyOf(events);
  }

  synchronized List<Message> messages() {
    return List.copyOf(messages);
  }

  private synchronized int messageCount() {
    return messages.size();
  }

  List<StreamPlace> places() {
    return places;
  }

  /** Waits until the interest is active. */
  TopicEvents awaitActive() {
    return await("active");
  }

  TopicEvents await(String event) {
    Awaitility.await(event).atMost(LIMIT).until(() -> all().contains(event));
    return this;
  }

  TopicEvents awaitMessages(int count) {
    Awaitility.await().atMost(LIMIT).until(() -> messageCount() >= count);
    return this;
  }

  @Override
  public synchronized void onStream(StreamPlace start) {
    events.add(places.isEmpty() ? "stream" : "stream again");
    places.add(start);
  }

  @Override
  public boolean isFull() {
    return full;
  }

  @Override
  public synchronized void onMessage(Message message, DeliveryInfo delivery) {
    messages.add(message);
    events.add(message.isRemoval() ? "removal" : new String(message.payload(), UTF_8));
  }

  @Override
  public synchronized void onMissed(GapReason reason, DeliveryInfo delivery) {
    events.add("missed " + reason);
  }

  @Override
  public synchronized void onActive(boolean again) {
    events.add(again ? "active again" : "active");
  }

  @Override
  public synchronized void onRefused(ErrorCode code, String why) {
    events.add("refused " + code + ": " + why);
  }
}
