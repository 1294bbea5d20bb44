package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.TopicPattern;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Broker controlled by the test, on the test's thread. It follows the rules of the real one. The
 * only selectors that it evaluates have the form {@code key = 'a'}.
 */
public final class ScriptedBroker implements Broker {
  private final BrokerListener listener;
  private final HubClock clock;
  private final List<Interested> interests = new ArrayList<>();
  private final Queue<Interested> toOpen = new ArrayDeque<>();
  private final Map<String, Integer> sent = new HashMap<>();
  private final Map<String, Long> places = new HashMap<>();

  /** Listeners of durable patterns; the test calls them itself. */
  final Map<String, DurableListener> durable = new HashMap<>();

  /** Completion callbacks of unsubscribed durable patterns. */
  final Map<String, Runnable> unsubscribed = new HashMap<>();

  /** Messages of clients, all accepted. */
  public final List<Publication> published = new ArrayList<>();

  /** Optional features of the provider, which the test may change. */
  public final Set<Feature> features = EnumSet.of(Feature.TRANSACTIONS, Feature.TRANSACTED_ACKS);

  /** Consumers of queues, which the test controls. */
  public final ScriptedQueues queues = new ScriptedQueues();

  /** Why its topics wait; empty if they do not. */
  public String waiting = "";

  /** Pending requests for stored messages. */
  final Deque<ReadBack> readBacks = new ArrayDeque<>();

  /** Stream whose messages this broker reads; null if it numbers none. */
  private ScriptedStream stream;

  /** The next offset of each of its partitions. */
  private int[] next = {};

  boolean ordered = true;
  IdentityState identity = IdentityState.VERIFIED;
  private long sequence;
  private boolean connected;
  private boolean isLive;
  private String refused;

  ScriptedBroker(BrokerListener listener, HubClock clock) {
    this.listener = listener;
    this.clock = clock;
  }

  private final class Interested implements Consumer {
    private final InterestKey key;
    private final TopicListener topic;
    private boolean active;
    private boolean activeBefore;

    Interested(InterestKey key, TopicListener topic) {
      this.key = key;
      this.topic = topic;
    }

    private boolean selects(String name, String messageKey) {
      return TopicPattern.covers(key.topic(), name)
          && (!key.hasSelector() || key.selector().equals("key = '" + messageKey + "'"));
    }

    MessageFields fields(String messageKey) {
      Map<String, Object> fields = messageKey == null ? Map.of() : Map.of("key", messageKey);
      return topic.needsFields() ? MessageFields.of(fields) : null;
    }

    void activate() {
      active = true;
      if (stream != null && !activeBefore) {
        topic.onStream(stream.place(next));
      }
      if (stream == null || !activeBefore) {
        topic.onActive(activeBefore);
      }
      activeBefore = true;
    }

    @Override
    public void close() {
      active = false;
      interests.remove(this);
      toOpen.remove(this);
    }
  }

  @Override
  public String waiting() {
    return waiting;
  }

  @Override
  public String waiting(String topic) {
    return waiting;
  }

  @Override
  public void start() {}

  @Override
  public void stop() {}

  @Override
  public Consumer open(InterestKey key, TopicListener topic) {
    Interested added = new Interested(key, topic);
    if (key.toString().equals(refused)) {
      topic.onRefused(ErrorCode.FORBIDDEN, "refused");
      return added;
    }
    interests.add(added);
    if (connected && toOpen.isEmpty()) {
      added.activate();
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
    unsubscribed.put(pattern, done);
  }

  @Override
  public void publish(Publication publication, PublishListener publishListener) {
    published.add(publication);
    publishListener.onPublished();
  }

  @Override
  public Requests requests() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Set<Feature> features() {
    return features;
  }

  @Override
  public Queues queues() {
    return queues;
  }

  /** Returns the open consumers. */
  public List<String> opened() {
    return interests.stream().map(interest -> interest.key.toString()).toList();
  }

  public void refuse(String pattern) {
    refused = pattern;
  }

  /**
   * Reconnects to the broker. The consumers become active one after the other, by {@link
   * #recoverOne}.
   */
  public void connect() {
    if (!connected) {
      connected = true;
      listener.onIdentity(identity, "scripted");
      toOpen.clear();
      toOpen.addAll(interests);
      recoverOne();
    }
  }

  public void recoverOne() {
    if (!connected || isLive) {
      return;
    }
    Interested next = toOpen.poll();
    if (next != null) {
      next.activate();
    }
    if (toOpen.isEmpty()) {
      isLive = true;
      listener.onLive();
    }
  }

  /** Changes the evidence for the identity of messages. */
  public void identify(IdentityState state) {
    identity = state;
    listener.onIdentity(state, "scripted");
  }

  /** Completes a proof: two canaries return, of which the first one is sent now. */
  public void prove() {
    probe();
    listener.onProof(clock.monoMs());
  }

  /** Delivers a returned canary. */
  void probe() {
    listener.onCanary(++sequence, 0);
    listener.onProbe(sequence);
  }

  /** Delivers a returned canary that ends no round. */
  void canary(long roundTripMs) {
    listener.onCanary(++sequence, roundTripMs);
  }

  public void lose() {
    if (connected) {
      connected = false;
      isLive = false;
      interests.forEach(interest -> interest.active = false);
      listener.onLost();
    }
  }

  /** Makes this the source of a stream's messages from now on. */
  void read(ScriptedStream source) {
    stream = source;
    next = IntStream.range(0, source.partitions()).map(source::end).toArray();
  }

  /**
   * Delivers the stored messages of partitions that this broker has not read, one after another.
   */
  void pull(int... partitions) {
    for (int partition : partitions) {
      next = Arrays.copyOf(next, stream.partitions());
      while (connected && next[partition] < stream.end(partition) && pullOne(partition)) {
        // until the end, or until a listener is full
      }
    }
  }

  /** Delivers the next message of a partition; returns false if a listener is full. */
  boolean pullOne(int partition) {
    Message message = stream.message(partition, next[partition]);
    List<Interested> receivers = standing(message.topic(), message.key());
    if (receivers.stream().anyMatch(interest -> interest.topic.isFull())) {
      return false;
    }
    next[partition]++;
    receivers.forEach(
        interest ->
            interest.topic.onMessage(
                message, DeliveryInfo.of(NO_SEQUENCE), interest.fields(message.key())));
    return true;
  }

  /** Notices that the stream was created again. */
  void restartStream() {
    next = new int[stream.partitions()];
    List.copyOf(interests).forEach(interest -> interest.topic.onStream(stream.place(next)));
  }

  /** The stream has removed the messages of a partition from an offset on, which were delivered. */
  void truncated(int partition, int end) {
    next[partition] = end;
    interests.forEach(interest -> interest.topic.onStream(stream.place(next)));
  }

  @Override
  public void readBack(ReadBack request) {
    readBacks.add(request);
  }

  void answer(ReadBack request) {
    stream.answer(request);
  }

  /** Answers all requests for stored messages. */
  void answerReadBacks() {
    while (!readBacks.isEmpty()) {
      answer(readBacks.remove());
    }
  }

  /** Publishes the next number of a topic to all active consumers. */
  public void publish(String topic) {
    publish(topic, null);
  }

  /** Publishes the next number of a topic with a key. */
  public void publish(String topic, String key) {
    int number = nextNumber(topic);
    deliver(topic, number, clock.wallMs(), key);
  }

  /** Delivers a message that was read before a selector needed its fields. */
  public void deliverWithoutFields(String topic) {
    deliver(topic, (MessageFields) null);
  }

  /** Delivers a message with fields, which may be null or unreadable. */
  public void deliver(String topic, MessageFields fields) {
    int number = nextNumber(topic);
    byte[] payload = String.valueOf(number).getBytes(StandardCharsets.US_ASCII);
    Message message =
        new Message(
            topic, identity(topic, number), clock.wallMs(), PayloadKind.TEXT, payload, null, null);
    standing(topic, null)
        .forEach(
            interest -> interest.topic.onMessage(message, DeliveryInfo.of(++sequence), fields));
  }

  /**
   * Delivers a message of the broker's history, published at the given time, to all active
   * consumers.
   */
  void give(String topic, int number, long timeMs) {
    places.putIfAbsent(topic, (long) places.size());
    sent.putIfAbsent(topic, 0);
    deliver(topic, number, timeMs, null);
  }

  /** Returns the number of the next message that the broker accepts. */
  long nextSequence() {
    return ++sequence;
  }

  /** Delivers late a message that the broker had accepted under a number. */
  void deliver(String topic, long accepted) {
    deliver(topic, DeliveryInfo.of(accepted));
  }

  /** Delivers a message in another way than in order. */
  void deliver(String topic, DeliveryInfo delivery) {
    int number = nextNumber(topic);
    byte[] payload = String.valueOf(number).getBytes(StandardCharsets.US_ASCII);
    Message message =
        new Message(topic, number, clock.wallMs(), PayloadKind.TEXT, payload, null, null);
    standing(topic, null)
        .forEach(interest -> interest.topic.onMessage(message, delivery, interest.fields(null)));
  }

  private void deliver(String topic, int number, long timeMs, String key) {
    byte[] payload = String.valueOf(number).getBytes(StandardCharsets.US_ASCII);
    Message message =
        new Message(topic, identity(topic, number), timeMs, PayloadKind.TEXT, payload, null, key);
    sequence++;
    standing(topic, key)
        .forEach(
            interest ->
                interest.topic.onMessage(message, DeliveryInfo.of(sequence), interest.fields(key)));
  }

  private int nextNumber(String topic) {
    places.putIfAbsent(topic, (long) places.size());
    return sent.merge(topic, 1, Integer::sum);
  }

  // Tests name the first identities. All others are scattered like hashes, which tables rely on.
  private long identity(String topic, int number) {
    long identity = places.get(topic) << 32 | number;
    return identity < 1_000 ? identity : new SplittableRandom(identity).nextLong() & Long.MAX_VALUE;
  }

  /** Publishes an unreadable message. */
  public void publishTooLarge(String topic) {
    publishTooLarge(topic, null);
  }

  /** Publishes an unreadable message with a key. */
  public void publishTooLarge(String topic, String key) {
    nextNumber(topic);
    standing(topic, key)
        .forEach(
            interest ->
                interest.topic.onMissed(
                    GapReason.TOO_LARGE, DeliveryInfo.of(sequence), interest.fields(key)));
  }

  private List<Interested> standing(String topic, String key) {
    return interests.stream()
        .filter(interest -> interest.active && interest.selects(topic, key))
        .toList();
  }

  /** Returns the listener of an active pattern. */
  TopicListener listener(String pattern) {
    return interests.stream()
        .filter(interest -> interest.active && interest.key.toString().equals(pattern))
        .findFirst()
        .orElseThrow()
        .topic;
  }

  /** Returns the last number of a topic. */
  int sent(String topic) {
    return sent.getOrDefault(topic, 0);
  }

  int consumers() {
    return interests.size();
  }
}
