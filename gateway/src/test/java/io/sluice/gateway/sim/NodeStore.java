package io.sluice.gateway.sim;

import io.sluice.gateway.broker.RetainedMessages;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** What the broker keeps for one node: durable subscriptions and the keepsake. */
final class NodeStore {
  private static final RetainedMessages NOTHING = new RetainedMessages(false, false);

  private final Map<String, DurableQueue> queues = new LinkedHashMap<>();
  private final Function<String, DurableQueue> newQueue;

  /** Which messages that the node has left for itself are still there. */
  private RetainedMessages keepsake = NOTHING;

  /**
   * @param newQueue makes a subscription to a pattern
   */
  NodeStore(Function<String, DurableQueue> newQueue) {
    this.newQueue = newQueue;
  }

  void route(Published message) {
    queues.values().forEach(queue -> queue.route(message));
  }

  /** What the node learns when it comes back; it takes the keepsake away. */
  RetainedMessages find() {
    RetainedMessages found = keepsake;
    keepsake = NOTHING;
    return found;
  }

  /** The node leaves a keepsake. */
  void leave() {
    keepsake = new RetainedMessages(true, true);
  }

  /** The node no longer knows what it has left. */
  void forgetKeepsake() {
    keepsake = NOTHING;
  }

  boolean has(String pattern) {
    return queues.containsKey(pattern);
  }

  /** The subscription to a pattern, found or made. */
  DurableQueue subscription(String pattern) {
    return queues.computeIfAbsent(pattern, newQueue);
  }

  /** The broker has been restarted: only what is on its disk is left. */
  void loseMemory() {
    keepsake = new RetainedMessages(keepsake.persistent(), false);
    queues.values().forEach(DurableQueue::loseMemory);
  }

  /** The broker has another disk. */
  void loseStore() {
    keepsake = NOTHING;
    queues.values().forEach(DurableQueue::close);
    queues.clear();
  }
}
