package io.sluice.gateway.sim;

import io.sluice.gateway.broker.RetainedMessages;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Messages that the broker stores for one node: durable subscriptions and marker messages. */
final class NodeStore {
  private static final RetainedMessages NOTHING = new RetainedMessages(false, false);

  private final Map<String, DurableQueue> queues = new LinkedHashMap<>();
  private final Function<String, DurableQueue> newQueue;

  /** Marker messages of the node that still exist. */
  private RetainedMessages marker = NOTHING;

  /**
   * @param newQueue creates the subscription of a pattern
   */
  NodeStore(Function<String, DurableQueue> newQueue) {
    this.newQueue = newQueue;
  }

  void route(Published message) {
    queues.values().forEach(queue -> queue.route(message));
  }

  /** Returns and removes the marker messages when the node reconnects. */
  RetainedMessages takeMarker() {
    RetainedMessages found = marker;
    marker = NOTHING;
    return found;
  }

  /** Stores marker messages of the node. */
  void storeMarker() {
    marker = new RetainedMessages(true, true);
  }

  /** Discards the marker messages, whose identities the node has lost. */
  void forgetMarker() {
    marker = NOTHING;
  }

  boolean has(String pattern) {
    return queues.containsKey(pattern);
  }

  /** Returns the subscription of a pattern, created if necessary. */
  DurableQueue subscription(String pattern) {
    return queues.computeIfAbsent(pattern, newQueue);
  }

  /** Discards everything that is not on disk, as a broker restart does. */
  void loseMemory() {
    marker = new RetainedMessages(marker.persistent(), false);
    queues.values().forEach(DurableQueue::loseMemory);
  }

  /** Discards everything, as an empty disk does. */
  void loseStore() {
    marker = NOTHING;
    queues.values().forEach(DurableQueue::close);
    queues.clear();
  }
}
