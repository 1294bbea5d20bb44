package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.TopicSubscription;
import java.util.HexFormat;

/**
 * Names at the broker of clients' subscriptions. Letters, digits and {@code -} represent
 * themselves; any other character is {@code _} and its four hexadecimal digits. Stateless; any
 * thread.
 */
final class SubscriptionName {
  /** First part of the names of all durable subscriptions. */
  static final String DURABLE = "sluice.durable.";

  /** First part of the names of all shared subscriptions. */
  static final String SHARED = "sluice.shared.";

  /** Queue with a record of each durable subscription. */
  static final String RECORDS = "sluice.durables";

  /** First part of the queues of durable subscriptions of virtual topics. */
  private static final String VIRTUAL = "Consumer.sluice__";

  private static final String VIRTUAL_SEPARATOR = "__";
  private static final char ESCAPE = '_';
  private static final int ESCAPE_DIGITS = 4;

  private SubscriptionName() {}

  /** Returns the name of a subscription: kind, principal, name, topic. */
  static String of(TopicSubscription subscription) {
    return (subscription.durable() ? DURABLE : SHARED)
        + encoded(subscription.principal())
        + "."
        + encoded(subscription.name())
        + "."
        + encodedTopic(subscription.topic());
  }

  /** Returns the name of a node's durable subscription, which is no name of a client's one. */
  static String ofNode(String clientId, String name) {
    return DURABLE + ESCAPE + "." + encoded(clientId) + "." + encodedTopic(name);
  }

  /** Returns the durable subscription of a name, or null if the name is not that of one. */
  static TopicSubscription durable(String name) {
    if (!name.startsWith(DURABLE)) {
      return null;
    }
    String[] parts = name.substring(DURABLE.length()).split("\\.", 3);
    if (parts.length < 3) {
      return null;
    }
    return subscription(parts[0], parts[1], decoded(parts[2]));
  }

  /** Returns the queue of a durable subscription of a virtual topic. */
  static String ofVirtual(TopicSubscription subscription) {
    return VIRTUAL
        + encoded(subscription.principal())
        + VIRTUAL_SEPARATOR
        + encoded(subscription.name())
        + "."
        + subscription.topic();
  }

  /** Returns the durable subscription of a queue of a virtual topic, or null. */
  static TopicSubscription virtual(String queue) {
    int topic = queue.startsWith(VIRTUAL) ? queue.indexOf('.', VIRTUAL.length()) : -1;
    if (topic < 0) {
      return null;
    }
    String owner = queue.substring(VIRTUAL.length(), topic);
    int separator = owner.indexOf(VIRTUAL_SEPARATOR);
    if (separator < 0) {
      return null;
    }
    String name = owner.substring(separator + VIRTUAL_SEPARATOR.length());
    return subscription(owner.substring(0, separator), name, queue.substring(topic + 1));
  }

  private static TopicSubscription subscription(String principal, String name, String topic) {
    String owner = decoded(principal);
    String label = decoded(name);
    return owner == null || label == null || topic == null
        ? null
        : new TopicSubscription(owner, topic, label, true);
  }

  /** Returns whether a queue belongs to subscriptions. Clients must not use it by its name. */
  static boolean isReserved(String name) {
    return name.startsWith(DURABLE)
        || name.startsWith(SHARED)
        || name.startsWith(VIRTUAL)
        || name.equals(RECORDS);
  }

  /** Encodes a text without dots. */
  static String encoded(String text) {
    return encoded(text, false);
  }

  private static String encodedTopic(String topic) {
    return encoded(topic, true);
  }

  private static String encoded(String text, boolean dots) {
    StringBuilder encoded = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isPlain(c) || dots && c == '.') {
        encoded.append(c);
      } else {
        encoded.append(ESCAPE).append(HexFormat.of().toHexDigits(c));
      }
    }
    return encoded.toString();
  }

  private static boolean isPlain(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-';
  }

  /** Returns the text of an encoded one, or null if it is invalid. */
  private static String decoded(String encoded) {
    StringBuilder text = new StringBuilder(encoded.length());
    int at = 0;
    while (at < encoded.length()) {
      char c = encoded.charAt(at++);
      if (c != ESCAPE) {
        text.append(c);
      } else if (at + ESCAPE_DIGITS > encoded.length() || !isHex(encoded, at)) {
        return null;
      } else {
        text.append((char) HexFormat.fromHexDigits(encoded, at, at + ESCAPE_DIGITS));
        at += ESCAPE_DIGITS;
      }
    }
    return text.toString();
  }

  private static boolean isHex(String text, int start) {
    return text.substring(start, start + ESCAPE_DIGITS).chars().allMatch(HexFormat::isHexDigit);
  }
}
