package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A durable subscription at the broker: what came for it and was not acknowledged, in order. */
final class DurableQueue {
  private final String pattern;
  private final Timeline timeline;
  private final Chance chance;
  private final Plan plan;
  private final List<Published> kept = new ArrayList<>();
  private final Map<Integer, Long> routed = new HashMap<>();

  /** Takes what comes; null while nobody does. */
  private Consumer<Published> taker;

  DurableQueue(String pattern, Timeline timeline, Chance chance, Plan plan) {
    this.pattern = pattern;
    this.timeline = timeline;
    this.chance = chance;
    this.plan = plan;
  }

  void route(Published message) {
    if (!TopicPattern.covers(pattern, message.topic())) {
      return;
    }
    long before = routed.getOrDefault(message.publisher(), 0L);
    long at = Math.max(before, timeline.nowMicros() + plan.delay(chance, plan.displacement / 2));
    routed.put(message.publisher(), at);
    timeline.at(at, () -> enqueue(message));
  }

  private void enqueue(Published message) {
    kept.add(message);
    if (taker != null) {
      taker.accept(message);
    }
  }

  /**
   * From now on somebody takes.
   *
   * @param again takes what was kept
   * @param consumer takes what comes
   */
  void open(Consumer<Published> again, Consumer<Published> consumer) {
    taker = consumer;
    List<Published> backlog = plan.durability.ordered() ? List.copyOf(kept) : mixedUp();
    backlog.forEach(again);
  }

  // Each topic in its order; whole topics one after the other, or in turns.
  private List<Published> mixedUp() {
    Map<String, List<Published>> topics = new LinkedHashMap<>();
    for (Published message : kept) {
      topics.computeIfAbsent(message.topic(), topic -> new ArrayList<>()).add(message);
    }
    List<List<Published>> left = new ArrayList<>(topics.values());
    boolean whole = chance.oneIn(2);
    List<Published> mixed = new ArrayList<>(kept.size());
    while (!left.isEmpty()) {
      List<Published> next = chance.of(left);
      int count = whole ? next.size() : 1;
      mixed.addAll(next.subList(0, count));
      next.subList(0, count).clear();
      left.removeIf(List::isEmpty);
    }
    return mixed;
  }

  /** Whoever takes from it is gone. */
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
