package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The broker of all nodes. It routes each message to each interest with a separate delay. Two nodes
 * therefore receive concurrent publishers in different orders; the order of one publisher is kept.
 */
final class SimulatedBroker {
  private final Timeline timeline;
  private final SeededRandom random;
  private final Plan plan;
  private final List<NodeLink> links = new ArrayList<>();
  private final List<List<Published>> accepted = new ArrayList<>();
  private final Map<String, Long> refusedUntil = new HashMap<>();
  private final Map<Long, Published> byIdentity = new HashMap<>();
  private final Map<String, Published> newest = new LinkedHashMap<>();
  private final Map<String, NodeStore> stores = new LinkedHashMap<>();

  private final Map<Integer, Latest> latest = new HashMap<>();

  /** All messages by the beginning of their payload. */
  private final Map<String, Published> byLabel = new HashMap<>();

  private final Map<NodeStore, Integer> nodes = new IdentityHashMap<>();

  /** Messages bound at the send, by the time of their delivery. */
  private final NavigableMap<Long, LateBinding.Bound> bound = new TreeMap<>();

  private long sequence;

  /**
   * The latest message of a publisher.
   *
   * @param copied whether it has the id of the message before
   */
  private record Latest(String topic, long id, boolean copied, long micros) {}

  SimulatedBroker(Timeline timeline, SeededRandom random, Plan plan) {
    this.timeline = timeline;
    this.random = random;
    this.plan = plan;
    for (int i = 0; i < plan.publishers; i++) {
      accepted.add(new ArrayList<>());
    }
  }

  void connect(NodeLink link) {
    links.add(link);
  }

  void disconnect(NodeLink link) {
    links.remove(link);
  }

  /** Returns the durable state of a node, which may be down. */
  NodeStore store(String node) {
    return stores.computeIfAbsent(
        node,
        name ->
            new NodeStore(
                pattern -> new DurableQueue(pattern, timeline, plan.durableRandom, plan)));
  }

  /**
   * Restarts the broker.
   *
   * @param emptied whether its disk is empty afterwards
   */
  void restart(boolean emptied) {
    links.forEach(NodeLink::onBrokerRestart);
    stores.values().forEach(emptied ? NodeStore::loseStore : NodeStore::loseMemory);
  }

  /**
   * Accepts the next message of a publisher, or of the topic's partition.
   *
   * @param key null if the topic has none
   */
  Published publish(int anyPublisher, String topic, String key, boolean forwardable) {
    SimulatedStream stream = plan.stream;
    int publisher = stream == null ? anyPublisher : stream.partition(topic, key);
    List<Published> own = accepted.get(publisher);
    String label = publisher + "#" + own.size();
    String payload = label + "x".repeat((int) random.between(0, plan.hardship.payloadBytes()));
    Message message =
        new Message(
            topic,
            stream == null
                ? plan.ids.identity(topic, id(publisher, topic))
                : stream.append(publisher, own.size()),
            plan.steps.brokerMs(),
            isRemoval() ? PayloadKind.REMOVAL : PayloadKind.TEXT,
            payload.getBytes(StandardCharsets.US_ASCII),
            null,
            key);
    Published next =
        new Published(
            publisher,
            own.size(),
            nextSequence(),
            timeline.nowMicros(),
            forwardable,
            plan.durability.isPersistent(plan.durableRandom),
            plan.overload.priority(publisher),
            message);
    own.add(next);
    byIdentity.put(message.identity(), next);
    byLabel.put(label, next);
    newest.put(next.slot(), next);
    links.forEach(link -> link.route(next, plan.displacement / 2));
    stores.values().forEach(store -> store.route(next));
    return next;
  }

  // A removal has no payload that shows its identity at a leaf of a JMS broker's root, or which of
  // two messages with one id it is.
  private boolean isRemoval() {
    return plan.selectors.isRemoval()
        && plan.ids.areSound()
        && (plan.tiers == null || plan.stream != null)
        && (plan.stream == null || plan.stream.truncationMean == 0);
  }

  /** Elects another leader of a partition of the stream. */
  void elect(boolean truncates) {
    int partition = plan.stream.elect(this, truncates);
    links.forEach(link -> link.onElection(partition));
  }

  /** Selects the consumers of the next message that is delivered to them later. */
  LateBinding.Bound bind(String topic, String key) {
    LateBinding binding = plan.binding;
    long sentMicros = timeline.nowMicros();
    long dueMicros = sentMicros + binding.delay();
    while (bound.containsKey(dueMicros)) {
      dueMicros++;
    }
    int number = bound.size();
    String label = "bound#" + number;
    Message message =
        new Message(
            topic,
            plan.ids.identity(topic, binding.random().number() & Long.MAX_VALUE),
            NodeClock.EPOCH_MS + sentMicros / Plan.MILLI,
            PayloadKind.TEXT,
            label.getBytes(StandardCharsets.US_ASCII),
            null,
            key);
    Published next =
        new Published(
            plan.publishers,
            number,
            nextSequence(),
            dueMicros,
            true,
            false,
            Overload.DEFAULT_PRIORITY,
            message);
    LateBinding.Bound sent = new LateBinding.Bound(next, sentMicros, binding.schedules());
    bound.put(dueMicros, sent);
    byIdentity.put(message.identity(), next);
    byLabel.put(label, next);
    links.forEach(link -> link.bind(sent));
    return sent;
  }

  /** Returns the messages bound at the send that are delivered between two times. */
  Collection<LateBinding.Bound> bound(long fromMicros, long toMicros) {
    return fromMicros >= toMicros ? List.of() : bound.subMap(fromMicros, toMicros).values();
  }

  /** Returns whether a message is bound at the send. */
  boolean isBound(Published message) {
    return message.publisher() == plan.publishers;
  }

  // Half of the messages in another topic than the one before have its id, as a copy has.
  private long id(int publisher, String topic) {
    long number = random.number() & Long.MAX_VALUE;
    Latest before = latest.get(publisher);
    boolean copied =
        before != null
            && !before.copied()
            && (number % 2 == 0 && !before.topic().equals(topic)
                || plan.ids.repeatsLatest(
                    before.topic().equals(topic), timeline.nowMicros() - before.micros()));
    long id = copied ? before.id() : number;
    latest.put(publisher, new Latest(topic, id, copied, timeline.nowMicros()));
    return id;
  }

  /**
   * Returns a message as a consumer receives it.
   *
   * @param name topic or pattern of the consumer
   */
  Message received(NodeStore node, String name, Published message) {
    int index = nodes.computeIfAbsent(node, any -> nodes.size());
    return message
        .message()
        .withIdentity(plan.ids.received(message, index + 31L * name.hashCode()));
  }

  /**
   * Records the identity under which a client receives a message.
   *
   * @param payload its payload; empty for a removal, which has its id everywhere
   */
  void identify(long identity, String payload) {
    int padding = payload.indexOf('x');
    String label = padding < 0 ? payload : payload.substring(0, padding);
    if (!label.isEmpty()) {
      byIdentity.put(identity, byLabel.get(label));
    }
  }

  /** Returns the number of the next message that the broker accepts. */
  long nextSequence() {
    return ++sequence;
  }

  /** Refuses a topic or pattern for some time. */
  void refuse(String pattern, long micros) {
    refusedUntil.put(pattern, timeline.nowMicros() + micros);
  }

  void refuseNothing() {
    refusedUntil.replaceAll((pattern, until) -> timeline.nowMicros());
  }

  boolean refuses(String pattern) {
    return refusedUntil.getOrDefault(pattern, 0L) > timeline.nowMicros();
  }

  /** Returns whether the broker has ever refused a topic or pattern. */
  boolean hasRefused(String pattern) {
    return refusedUntil.containsKey(pattern);
  }

  /** Returns all messages of a publisher, by number. */
  List<Published> accepted(int publisher) {
    return accepted.get(publisher);
  }

  Published byIdentity(long identity) {
    return byIdentity.get(identity);
  }

  /** Returns the newest message of each slot that belongs to an interest. */
  Collection<Published> newest(InterestKey key) {
    if (!key.hasSelector()) {
      return newest.values().stream().filter(message -> Selectors.selects(key, message)).toList();
    }
    Map<String, Published> selected = new LinkedHashMap<>();
    accepted.stream()
        .flatMap(List::stream)
        .filter(message -> Selectors.selects(key, message))
        .sorted(Comparator.comparingLong(Published::sequence))
        .forEach(message -> selected.put(message.slot(), message));
    return selected.values();
  }
}
