package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A durable subscription at the broker: all messages not acknowledged, in order. */
final class DurableQueue {
  private final String pattern;
  private final Timeline timeline;
  private final SeededRandom random;
  private final Plan plan;
  private final List<Published> kept = new ArrayList<>();
  private final Map<Integer, Long> routed = new HashMap<>();

  /** Sequences of the messages that a consumer may have received. */
  private final Set<Long> delivered = new HashSet<>();

  /** Receiver of the messages; null while the subscription is not open. */
  private Consumer<Published> taker;

  DurableQueue(String pattern, Timeline timeline, SeededRandom random, Plan plan) {
    this.pattern = pattern;
    this.timeline = timeline;
    this.random = random;
    this.plan = plan;
  }

  void route(Published message) {
    if (!TopicPattern.covers(pattern, message.topic())) {
      return;
    }
    long before = routed.getOrDefault(message.publisher(), 0L);
    long at = Math.max(before, timeline.nowMicros() + plan.delay(random, plan.displacement / 2));
    routed.put(message.publisher(), at);
    timeline.at(at, () -> enqueue(message));
  }

  private void enqueue(Published message) {
    kept.add(message);
    if (taker != null) {
      delivered.add(message.sequence());
      taker.accept(message);
    }
  }

  /**
   * Opens the subscription.
   *
   * @param again receives the retained messages, and whether an earlier consumer may have received
   *     each
   * @param consumer receives the later messages
   */
  void open(BiConsumer<Published, Boolean> again, Consumer<Published> consumer) {
    taker = consumer;
    List<Published> backlog = plan.durability.ordered() ? List.copyOf(kept) : mixedUp();
    backlog.forEach(next -> again.accept(next, !delivered.add(next.sequence())));
  }

  // Each topic keeps its order. Whole topics follow each other, or their messages alternate.
  private List<Published> mixedUp() {
    Map<String, List<Published>> topics = new LinkedHashMap<>();
    for (Published message : kept) {
      topics.computeIfAbsent(message.topic(), topic -> new ArrayList<>()).add(message);
    }
    List<List<Published>> left = new ArrayList<>(topics.values());
    boolean whole = random.oneIn(2);
    List<Published> mixed = new ArrayList<>(kept.size());
    while (!left.isEmpty()) {
      List<Published> next = random.of(left);
      int count = whole ? next.size() : 1;
      mixed.addAll(next.subList(0, count));
      next.subList(0, count).clear();
      left.removeIf(List::isEmpty);
    }
    return mixed;
  }

  /** Handles the loss of the consumer. */
  void close() {
    taker = null;
  }

  void acknowledge(List<Published> taken) {
    kept.removeAll(taken);
  }

  void loseMemory() {
    kept.removeIf(message -> !message.persistent());
  }
}
