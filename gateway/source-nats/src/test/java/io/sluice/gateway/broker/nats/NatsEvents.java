package io.sluice.gateway.broker.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Events of a source, and of its topics, in the order of their arrival. For any thread. */
final class NatsEvents implements BrokerListener {
  private final List<String> source = new CopyOnWriteArrayList<>();

  /** Returns the events of the connection; later ones are added. */
  List<String> source() {
    return source;
  }

  @Override
  public void onLive() {
    source.add("live");
  }

  @Override
  public void onProbe(long sequence) {
    source.add("probe");
  }

  @Override
  public void onProof(long sentMs) {
    source.add("proof");
  }

  @Override
  public void onLost() {
    source.add("lost");
  }

  /** Events and messages of one topic. */
  static final class Topic implements TopicListener {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Message> messages = new CopyOnWriteArrayList<>();
    private final List<StreamPlace> places = new CopyOnWriteArrayList<>();
    private volatile boolean full;

    /** Returns texts of messages and names of other events. */
    List<String> events() {
      return events;
    }

    List<Message> messages() {
      return messages;
    }

    /** Returns the places at which the streams began. */
    List<StreamPlace> places() {
      return places;
    }

    void full(boolean isFull) {
      full = isFull;
    }

    @Override
    public boolean isFull() {
      return full;
    }

    @Override
    public void onStream(StreamPlace start) {
      places.add(start);
      events.add("stream at " + start.offsetOf(0));
    }

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      messages.add(message);
      events.add(message.isRemoval() ? "removal" : new String(message.payload(), UTF_8));
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      events.add("missed " + reason.code());
    }

    @Override
    public void onActive(boolean again) {
      events.add(again ? "active again" : "active");
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add("refused " + code.code() + ": " + why);
    }
  }
}
