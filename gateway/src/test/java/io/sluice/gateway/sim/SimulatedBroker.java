package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The broker that all nodes share. It routes each message to each interest at a moment of its own,
 * so that two nodes see concurrent publishers in different orders; one publisher's order holds.
 */
final class SimulatedBroker {
  private final Timeline timeline;
  private final Chance chance;
  private final Plan plan;
  private final List<BrokerLink> links = new ArrayList<>();
  private final List<List<Published>> accepted = new ArrayList<>();
  private final Map<String, Long> refusedUntil = new HashMap<>();
  private final Map<Long, Published> byIdentity = new HashMap<>();
  private final Map<String, Published> newest = new LinkedHashMap<>();
  private final Map<String, NodeStore> stores = new LinkedHashMap<>();

  private long sequence;

  SimulatedBroker(Timeline timeline, Chance chance, Plan plan) {
    this.timeline = timeline;
    this.chance = chance;
    this.plan = plan;
    for (int i = 0; i < plan.publishers; i++) {
      accepted.add(new ArrayList<>());
    }
  }

  void connect(BrokerLink link) {
    links.add(link);
  }

  void disconnect(BrokerLink link) {
    links.remove(link);
  }

  /** What it keeps for a node, whether that is there or not. */
  NodeStore store(String node) {
    return stores.computeIfAbsent(
        node,
        name ->
            new NodeStore(
                pattern -> new DurableQueue(pattern, timeline, plan.durableChance, plan)));
  }

  /**
   * Is restarted.
   *
   * @param emptied whether it comes back with an empty disk
   */
  void restart(boolean emptied) {
    links.forEach(BrokerLink::onBrokerRestart);
    stores.values().forEach(emptied ? NodeStore::loseStore : NodeStore::loseMemory);
  }

  /**
   * Takes the next message of a publisher.
   *
   * @param key null if the topic has none
   */
  Published publish(int publisher, String topic, String key, boolean forwardable) {
    List<Published> own = accepted.get(publisher);
    String payload =
        publisher
            + "#"
            + own.size()
            + "x".repeat((int) chance.between(0, plan.hardship.payloadBytes()));
    Message message =
        new Message(
            topic,
            chance.number(),
            NodeClock.EPOCH_MS + timeline.nowMicros() / Plan.MILLI,
            PayloadKind.TEXT,
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
            plan.durability.isPersistent(plan.durableChance),
            message);
    own.add(next);
    byIdentity.put(message.identity(), next);
    newest.put(next.slot(), next);
    links.forEach(link -> link.route(next, plan.displacement / 2));
    stores.values().forEach(store -> store.route(next));
    return next;
  }

  /** The number of the next message that the broker accepts. */
  long nextSequence() {
    return ++sequence;
  }

  /** Serves a topic or pattern to nobody for a while. */
  void refuse(String pattern, long micros) {
    refusedUntil.put(pattern, timeline.nowMicros() + micros);
  }

  void refuseNothing() {
    refusedUntil.replaceAll((pattern, until) -> timeline.nowMicros());
  }

  boolean refuses(String pattern) {
    return refusedUntil.getOrDefault(pattern, 0L) > timeline.nowMicros();
  }

  /** Whether it ever did. */
  boolean hasRefused(String pattern) {
    return refusedUntil.containsKey(pattern);
  }

  /** Everything that a publisher has sent, by number. */
  List<Published> accepted(int publisher) {
    return accepted.get(publisher);
  }

  Published byIdentity(long identity) {
    return byIdentity.get(identity);
  }

  /** The newest message of each slot. */
  Collection<Published> newest() {
    return newest.values();
  }
}
