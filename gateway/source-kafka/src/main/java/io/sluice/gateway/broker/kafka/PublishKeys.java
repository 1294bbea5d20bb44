package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Properties of messages with the key of the record and the marker of removals: those of {@code
 * history.key-properties} and {@code history.removal-property}. Immutable, for any thread.
 */
final class PublishKeys {
  private record Rule(String pattern, String property) {}

  private final List<Rule> rules = new ArrayList<>();
  private final String removal;

  private PublishKeys(String removal) {
    this.removal = removal;
  }

  /**
   * Parses rules of the form pattern=property.
   *
   * @param removal property that is true in a removal; empty if there are no removals
   */
  static PublishKeys of(List<String> rules, String removal) {
    PublishKeys keys = new PublishKeys(removal);
    for (String rule : rules) {
      int equals = rule.indexOf('=');
      keys.rules.add(new Rule(rule.substring(0, equals), rule.substring(equals + 1)));
    }
    return keys;
  }

  /** Returns whether a publish removes its topic or key from snapshots. */
  boolean isRemoval(Map<String, Object> properties) {
    return !removal.isEmpty() && "true".equals(String.valueOf(properties.get(removal)));
  }

  /** Returns the key of a publish; null if its topic has none or the publish lacks it. */
  String key(String topic, Map<String, Object> properties) {
    String property = property(topic);
    Object value = property == null ? null : properties.get(property);
    return value == null ? null : value.toString();
  }

  /** Returns the property with the keys of a topic, or null. */
  String property(String topic) {
    for (Rule rule : rules) {
      if (TopicPattern.covers(rule.pattern(), topic)) {
        return rule.property();
      }
    }
    return null;
  }
}
