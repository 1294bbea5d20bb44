package io.sluice.gateway.broker.jms.message;

import io.sluice.gateway.protocol.TopicPattern;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;

/** JMS properties with the keys of topics and the marker of removals. Immutable, for any thread. */
public final class KeyProperties {
  /** No keys and no removals. */
  public static final KeyProperties NONE = of(List.of(), "");

  private record Rule(String pattern, String property) {}

  private final List<Rule> rules = new ArrayList<>();
  private final String removal;

  private KeyProperties(String removal) {
    this.removal = removal;
  }

  /**
   * Parses rules of the form pattern=property.
   *
   * @param removal property that is true in a removal; empty if there are no removals
   */
  public static KeyProperties of(List<String> rules, String removal) {
    KeyProperties properties = new KeyProperties(removal);
    for (String rule : rules) {
      int equals = rule.indexOf('=');
      properties.rules.add(new Rule(rule.substring(0, equals), rule.substring(equals + 1)));
    }
    return properties;
  }

  /** Returns whether a message removes its topic or key. */
  public boolean isRemoval(jakarta.jms.Message message) throws JMSException {
    if (removal.isEmpty()) {
      return false;
    }
    Object value = message.getObjectProperty(removal);
    return value instanceof Boolean flag ? flag : "true".equals(value);
  }

  /** Returns the key of a message; null if its topic has none or the message lacks it. */
  public String key(jakarta.jms.Message message, String topic) throws JMSException {
    for (Rule rule : rules) {
      if (TopicPattern.covers(rule.pattern(), topic)) {
        Object value = message.getObjectProperty(rule.property());
        return value == null ? null : value.toString();
      }
    }
    return null;
  }
}
