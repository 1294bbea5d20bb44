package io.sluice.gateway.protocol;

import java.nio.charset.StandardCharsets;

/**
 * A concrete topic as one interest sees it: its number in binary messages and the parts of its JSON
 * messages that never change. Immutable, for any thread.
 */
public final class Channel {
  private final int number;
  private final String topic;
  private final String pattern;
  private final byte[] jsonPrefix;

  /**
   * Creates a channel.
   *
   * @param number 0 to 2^24-1
   * @param topic the concrete topic
   * @param pattern the pattern that the interest is for, or null if it is for the topic itself
   */
  public Channel(int number, String topic, String pattern) {
    this.number = number;
    this.topic = topic;
    this.pattern = pattern;
    this.jsonPrefix = jsonPrefix(topic, pattern);
  }

  private static byte[] jsonPrefix(String topic, String pattern) {
    // A valid topic has no character that JSON would escape but the quotation mark.
    String prefix = "{\"type\":\"message\",\"topic\":" + quoted(topic);
    if (pattern != null) {
      prefix += ",\"pattern\":" + quoted(pattern);
    }
    return (prefix + ",\"offset\":").getBytes(StandardCharsets.UTF_8);
  }

  private static String quoted(String topic) {
    return '"' + topic.replace("\"", "\\\"") + '"';
  }

  /** The number in binary messages. */
  public int number() {
    return number;
  }

  /** The concrete topic. */
  public String topic() {
    return topic;
  }

  /** The pattern of the interest, or null. */
  public String pattern() {
    return pattern;
  }

  byte[] jsonPrefix() {
    return jsonPrefix;
  }
}
