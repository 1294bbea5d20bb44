package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.TopicPattern;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;

/** A broker that does what the test says, on the test's thread, by the rules of the real one. */
public final class ScriptedBroker implements Broker {
  private final BrokerListener listener;
  private final HubClock clock;
  private final List<Interested> interests = new ArrayList<>();
  private final Queue<Interested> toOpen = new ArrayDeque<>();
  private final Map<String, Integer> sent = new HashMap<>();
  private final Map<String, Long> places = new HashMap<>();

  /** Who listens to what is durable; the test calls them itself. */
  final Map<String, DurableListener> durable = new HashMap<>();

  /** What is to be taken away from the broker, and what to do then. */
  final Map<String, Runnable> forgotten = new HashMap<>();

  boolean ordered = true;
  private long sequence;
  private boolean connected;
  private boolean isLive;
  private String refused;

  ScriptedBroker(BrokerListener listener, HubClock clock) {
    this.listener = listener;
    this.clock = clock;
  }

  private final class Interested implements Consumer {
    private final String pattern;
    private final TopicListener topic;
    private boolean stands;
    private boolean stoodBefore;

    Interested(String pattern, TopicListener topic) {
      this.pattern = pattern;
      this.topic = topic;
    }

    void stand() {
      stands = true;
      topic.onActive(stoodBefore);
      stoodBefore = true;
    }

    @Override
    public void close() {
      stands = false;
      interests.remove(this);
      toOpen.remove(this);
    }
  }

  @Override
  public void start() {}

  @Override
  public void stop() {}

  @Override
  public Consumer open(String pattern, TopicListener topic) {
    Interested added = new Interested(pattern, topic);
    if (pattern.equals(refused)) {
      topic.onRefused(ErrorCode.FORBIDDEN, "refused");
      return added;
    }
    interests.add(added);
    if (connected && toOpen.isEmpty()) {
      added.stand();
    } else {
      toOpen.add(added);
    }
    return added;
  }

  @Override
  public Consumer openDurable(String pattern, DurableListener listener) {
    durable.put(pattern, listener);
    return () -> durable.remove(pattern, listener);
  }

  @Override
  public boolean preservesOrderAcrossTopics() {
    return ordered;
  }

  @Override
  public void unsubscribeDurable(String pattern, Runnable done) {
    forgotten.put(pattern, done);
  }

  @Override
  public void publish(Publication publication, PublishListener publishListener) {
    throw new UnsupportedOperationException();
  }

  /** The consumers that there are. */
  List<String> opened() {
    return interests.stream().map(interest -> interest.pattern).toList();
  }

  public void refuse(String pattern) {
    refused = pattern;
  }

  /** The broker is back; the consumers stand one after the other, by {@link #recoverOne}. */
  public void connect() {
    if (!connected) {
      connected = true;
      toOpen.clear();
      toOpen.addAll(interests);
      recoverOne();
    }
  }

  void recoverOne() {
    if (!connected || isLive) {
      return;
    }
    Interested next = toOpen.poll();
    if (next != null) {
      next.stand();
    }
    if (toOpen.isEmpty()) {
      isLive = true;
      listener.onLive();
    }
  }

  /** Two canaries return, of which the first one is sent now. */
  public void prove() {
    probe();
    listener.onProof(clock.wallMs());
  }

  /** A canary returns. */
  void probe() {
    listener.onProbe(++sequence, 0);
  }

  public void lose() {
    if (connected) {
      connected = false;
      isLive = false;
      interests.forEach(interest -> interest.stands = false);
      listener.onLost();
    }
  }

  /** Publishes the next number of a topic; whoever stands receives it. */
  public void publish(String topic) {
    publish(topic, null);
  }

  /** The same for a key of the topic. */
  void publish(String topic, String key) {
    int number = nextNumber(topic);
    deliver(topic, number, clock.wallMs(), key);
  }

  /** Gives whoever stands a message of its history, which was published at a time. */
  void give(String topic, int number, long timeMs) {
    places.putIfAbsent(topic, (long) places.size());
    sent.putIfAbsent(topic, 0);
    deliver(topic, number, timeMs, null);
  }

  /** The number of the next message that it accepts. */
  long nextSequence() {
    return ++sequence;
  }

  /** Delivers a message late that it had accepted under a number. */
  void deliver(String topic, long accepted) {
    int number = nextNumber(topic);
    byte[] payload = String.valueOf(number).getBytes(StandardCharsets.US_ASCII);
    Message message =
        new Message(topic, number, clock.wallMs(), PayloadKind.TEXT, payload, null, null);
    standing(topic).forEach(interest -> interest.topic.onMessage(message, accepted));
  }

  private void deliver(String topic, int number, long timeMs, String key) {
    byte[] payload = String.valueOf(number).getBytes(StandardCharsets.US_ASCII);
    Message message =
        new Message(topic, identity(topic, number), timeMs, PayloadKind.TEXT, payload, null, key);
    sequence++;
    standing(topic).forEach(interest -> interest.topic.onMessage(message, sequence));
  }

  private int nextNumber(String topic) {
    places.putIfAbsent(topic, (long) places.size());
    return sent.merge(topic, 1, Integer::sum);
  }

  // Tests name the first identities. All others are scattered like hashes, which tables rely on.
  private long identity(String topic, int number) {
    long identity = places.get(topic) << 32 | number;
    return identity < 1_000 ? identity : new SplittableRandom(identity).nextLong();
  }

  /** Publishes an unreadable message. */
  public void publishTooLarge(String topic) {
    nextNumber(topic);
    standing(topic).forEach(interest -> interest.topic.onMissed(GapReason.TOO_LARGE, sequence));
  }

  private List<Interested> standing(String topic) {
    return interests.stream()
        .filter(interest -> interest.stands && TopicPattern.covers(interest.pattern, topic))
        .toList();
  }

  /** Returns the listener of an active pattern. */
  TopicListener listener(String pattern) {
    return interests.stream()
        .filter(interest -> interest.stands && interest.pattern.equals(pattern))
        .findFirst()
        .orElseThrow()
        .topic;
  }

  /** The last number of a topic. */
  int sent(String topic) {
    return sent.getOrDefault(topic, 0);
  }

  int consumers() {
    return interests.size();
  }
}
