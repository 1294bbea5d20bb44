package io.sluice.gateway.broker.jms;

import io.sluice.gateway.protocol.TopicPattern;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;

/** JMS properties that contain the keys of topics. Immutable, for any thread. */
final class KeyProperties {
  private record Rule(String pattern, String property) {}

  private final List<Rule> rules = new ArrayList<>();

  private KeyProperties() {}

  /** Parses rules of the form pattern=property. */
  static KeyProperties of(List<String> rules) {
    KeyProperties properties = new KeyProperties();
    for (String rule : rules) {
      int equals = rule.indexOf('=');
      properties.rules.add(new Rule(rule.substring(0, equals), rule.substring(equals + 1)));
    }
    return properties;
  }

  /** Returns the key of a message; null if its topic has none or the message lacks it. */
  String key(jakarta.jms.Message message, String topic) throws JMSException {
    for (Rule rule : rules) {
      if (TopicPattern.covers(rule.pattern(), topic)) {
        Object value = message.getObjectProperty(rule.property());
        return value == null ? null : value.toString();
      }
    }
    return null;
  }
}
