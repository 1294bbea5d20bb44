package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Interests in one Kafka topic, by topic of the message. Interests with a selector are separate
 * ones. Used by one thread.
 */
final class InterestIndex {
  private final Map<String, List<KafkaInterest>> exact = new HashMap<>();
  private final List<KafkaInterest> patterns = new ArrayList<>();

  void add(KafkaInterest interest) {
    if (interest.isPattern()) {
      patterns.add(interest);
    } else {
      exact.computeIfAbsent(interest.topic(), topic -> new ArrayList<>(1)).add(interest);
    }
  }

  void remove(KafkaInterest interest) {
    if (interest.isPattern()) {
      patterns.remove(interest);
      return;
    }
    exact.computeIfPresent(
        interest.topic(), (topic, all) -> all.remove(interest) && all.isEmpty() ? null : all);
  }

  boolean isEmpty() {
    return patterns.isEmpty() && exact.isEmpty();
  }

  /** Adds the interests in a topic to a list. */
  void addMatching(String topic, Collection<KafkaInterest> matching) {
    List<KafkaInterest> same = exact.get(topic);
    if (same != null) {
      matching.addAll(same);
    }
    for (KafkaInterest interest : patterns) {
      if (TopicPattern.covers(interest.topic(), topic)) {
        matching.add(interest);
      }
    }
  }

  void forEach(Consumer<KafkaInterest> action) {
    exact.values().forEach(same -> same.forEach(action));
    patterns.forEach(action);
  }

  void forEachPattern(Consumer<KafkaInterest> action) {
    patterns.forEach(action);
  }
}
