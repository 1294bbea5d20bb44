package io.sluice.gateway.broker.jms;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Events of a connection and of its topics, in the order of their arrival. For any thread. */
final class BrokerEvents implements BrokerListener {
  private final List<String> events = new CopyOnWriteArrayList<>();

  /** Returns the events; later ones are added. */
  List<String> list() {
    return events;
  }

  /** Returns a listener that records the events of a topic. */
  TopicListener topic(String name) {
    return new Topic(name, message -> "message");
  }

  /** Returns a listener that records the events of a topic, messages by their text. */
  TopicListener topicWithTexts(String name) {
    return new Topic(name, message -> new String(message.payload(), UTF_8));
  }

  @Override
  public void onLive() {
    events.add("live");
  }

  @Override
  public void onProbe(long sequence) {
    // A probe alone is no proof.
  }

  @Override
  public void onProof(long sentMs) {
    // CanaryIT
  }

  @Override
  public void onMessagesMissing() {
    events.add("missing");
  }

  @Override
  public void onLost() {
    events.add("lost");
  }

  private final class Topic implements TopicListener {
    private final String name;
    private final Function<Message, String> text;

    Topic(String name, Function<Message, String> text) {
      this.name = name;
      this.text = text;
    }

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      events.add(name + " " + text.apply(message));
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      events.add(name + " missed");
    }

    @Override
    public void onActive(boolean again) {
      events.add(name + (again ? " active again" : " active"));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add(name + " refused: " + code);
    }
  }
}
