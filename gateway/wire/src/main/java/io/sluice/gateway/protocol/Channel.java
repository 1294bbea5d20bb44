package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.nio.charset.StandardCharsets;

/**
 * Concrete topic of one interest: its channel number and the constant parts of its JSON messages.
 * Immutable, for any thread.
 */
public final class Channel {
  private final int number;
  private final String topic;
  private final String pattern;
  private final byte[] jsonPrefix;
  private final boolean compressedAlone;
  private final int stream;
  private final LogEpoch epoch;

  /** Frame that announces the channel to binary clients; null until it is first needed. */
  private volatile byte[] announcement;

  /**
   * Creates a channel.
   *
   * @param number 0 to 2^24-1
   * @param topic the concrete topic
   * @param pattern the pattern of the interest, or null if the interest is in the topic itself
   */
  public Channel(int number, String topic, String pattern) {
    this(number, topic, pattern, false, 0, new LogEpoch(0, Site.UNNAMED));
  }

  /**
   * Creates a channel.
   *
   * @param compressedAlone whether no message is compressed together with another one
   * @param stream number of the interest's stream in compressed frames
   * @param epoch of the interest's log
   */
  public Channel(
      int number,
      String topic,
      String pattern,
      boolean compressedAlone,
      int stream,
      LogEpoch epoch) {
    this.epoch = epoch;
    this.compressedAlone = compressedAlone;
    this.stream = stream;
    this.number = number;
    this.topic = topic;
    this.pattern = pattern;
    this.jsonPrefix = jsonPrefix(topic, pattern);
  }

  private static byte[] jsonPrefix(String topic, String pattern) {
    String prefix = "{\"type\":\"message\",\"topic\":" + JsonText.quoted(topic);
    if (pattern != null) {
      prefix += ",\"pattern\":" + JsonText.quoted(pattern);
    }
    return (prefix + ",\"offset\":").getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the number in binary messages. */
  public int number() {
    return number;
  }

  /** Returns the concrete topic. */
  public String topic() {
    return topic;
  }

  /** Returns the pattern of the interest, or null. */
  public String pattern() {
    return pattern;
  }

  /** Returns whether no message of the topic is compressed together with another one. */
  public boolean isCompressedAlone() {
    return compressedAlone;
  }

  /** Returns the number of the interest's stream in compressed frames. */
  public int stream() {
    return stream;
  }

  /** Returns the epoch of the log, as in {@code subscribed}. */
  public String epoch() {
    return epoch.text();
  }

  byte[] jsonPrefix() {
    return jsonPrefix;
  }

  /**
   * Returns the complete {@code channel} frame of a pattern's topic; callers must not modify it.
   */
  byte[] announcement() {
    byte[] frame = announcement;
    if (frame == null) {
      frame = newAnnouncement();
      announcement = frame;
    }
    return frame;
  }

  private byte[] newAnnouncement() {
    String members =
        ",\"pattern\":" + JsonText.quoted(pattern) + ",\"topic\":" + JsonText.quoted(topic);
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
