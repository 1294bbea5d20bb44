package io.sluice.gateway.broker.jms;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.TopicPattern;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;

/** Which JMS property tells the keys of a topic apart, where one does. Immutable. */
final class KeyProperties {
  private record Rule(String pattern, String property) {}

  private final List<Rule> rules = new ArrayList<>();

  private KeyProperties() {}

  /** What the configuration says, as pattern=property. */
  static KeyProperties of(Config config) {
    KeyProperties properties = new KeyProperties();
    for (String rule : config.get(HistorySettings.KEY_PROPERTIES)) {
      int equals = rule.indexOf('=');
      properties.rules.add(new Rule(rule.substring(0, equals), rule.substring(equals + 1)));
    }
    return properties;
  }

  /** The key of a message, or null if its topic has none or the message lacks it. */
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
