package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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

  /** The frame that announces it to binary clients; null until the first one needs it. */
  private volatile byte[] announcement;

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

  /** The complete {@code channel} frame of a pattern's topic; not to be changed. */
  byte[] announcement() {
    byte[] known = announcement;
    if (known == null) {
      known = newAnnouncement();
      announcement = known;
    }
    return known;
  }

  private byte[] newAnnouncement() {
    String members = ",\"pattern\":" + quoted(pattern) + ",\"topic\":" + quoted(topic);
    byte[] json =
        ("{\"type\":\"channel\",\"channel\":" + number + members + '}')
            .getBytes(StandardCharsets.UTF_8);
    byte[] frame = new byte[WebSocketFrame.headerBytes(json.length) + json.length];
    ByteBuf out = Unpooled.wrappedBuffer(frame).clear();
    WebSocketFrame.writeHeader(out, WebSocketFrame.TEXT, false, json.length);
    out.writeBytes(json);
    return frame;
  }
}
