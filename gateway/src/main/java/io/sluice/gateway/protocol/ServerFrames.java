package io.sluice.gateway.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;

/**
 * Writes every frame of a node but messages, each as a complete WebSocket frame that the caller
 * owns: docs/PROTOCOL.md, section 4. Stateless, for any thread.
 */
public final class ServerFrames {
  private static final int USUAL_SIZE = 256;

  private final JsonFactory json = new JsonFactory();
  private final ByteBufAllocator allocator;

  public ServerFrames(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /** What a session tells its client first. */
  public record Hello(
      String node,
      String version,
      String session,
      long expiresMs,
      long timeMs,
      boolean brokerUp,
      long pingIntervalMs,
      long messageBytes,
      int subscriptions,
      int topicLength,
      int topicDepth,
      int publishRate,
      int overlap) {}

  /** The members of one frame. */
  @FunctionalInterface
  private interface Members {
    void writeTo(JsonGenerator generator) throws IOException;
  }

  public ByteBuf hello(Hello hello) {
    return frame(
        "hello",
        ClientFrame.NO_REF,
        out -> {
          out.writeStringField("node", hello.node());
          out.writeStringField("version", hello.version());
          out.writeStringField("session", hello.session());
          writeExpiry(out, hello.expiresMs());
          out.writeNumberField("time", hello.timeMs());
          out.writeStringField("broker", hello.brokerUp() ? "up" : "down");
          out.writeNumberField("pingInterval", hello.pingIntervalMs());
          out.writeObjectFieldStart("limits");
          out.writeNumberField("messageBytes", hello.messageBytes());
          out.writeNumberField("subscriptions", hello.subscriptions());
          out.writeNumberField("topicLength", hello.topicLength());
          out.writeNumberField("topicDepth", hello.topicDepth());
          out.writeNumberField("publishRate", hello.publishRate());
          out.writeNumberField("overlap", hello.overlap());
          out.writeEndObject();
        });
  }

  /** Answers a refresh; {@code expiresMs} is Long.MAX_VALUE for a credential without an end. */
  public ByteBuf refreshed(long ref, long expiresMs) {
    return frame("refreshed", ref, out -> writeExpiry(out, expiresMs));
  }

  private static void writeExpiry(JsonGenerator out, long expiresMs) throws IOException {
    if (expiresMs != Long.MAX_VALUE) {
      out.writeNumberField("expires", expiresMs);
    }
  }

  /**
   * Answers a subscribe.
   *
   * @param binary whether the client wants the channel's number
   * @param tagged whether the subscription is identified by {@code ref}
   */
  public ByteBuf subscribed(
      long ref, String topic, Admission admission, boolean binary, boolean tagged) {
    return frame(
        "subscribed",
        ref,
        out -> {
          out.writeStringField("topic", topic);
          out.writeStringField("epoch", epoch(admission));
          out.writeNumberField("offset", admission.offset());
          if (admission.replay() > 0) {
            out.writeNumberField("replay", admission.replay());
          }
          if (admission.recovered() != null) {
            out.writeBooleanField("recovered", admission.recovered());
          }
          if (admission.timeMs() > 0) {
            out.writeNumberField("time", admission.timeMs());
          }
          if (binary && admission.channel() != null) {
            out.writeNumberField("channel", admission.channel().number());
          }
          if (tagged) {
            out.writeBooleanField("tagged", true);
          }
        });
  }

  private static String epoch(Admission admission) {
    return HexFormat.of().toHexDigits(admission.epoch()) + admission.site().suffix();
  }

  /** Tells up to when the broker is known to have delivered. */
  public ByteBuf caughtUp(long timeMs) {
    return frame("caught-up", ClientFrame.NO_REF, out -> out.writeNumberField("time", timeMs));
  }

  /** Announces the number of a topic that came through a pattern. */
  public ByteBuf channel(Channel channel) {
    return channels(List.of(channel), channelBytes(channel));
  }

  /** Bytes of the frame that announces a channel. */
  public int channelBytes(Channel channel) {
    return channel.announcement().length;
  }

  /**
   * Announces several channels, a frame for each, in one buffer.
   *
   * @param bytes of all frames
   */
  public ByteBuf channels(List<Channel> channels, int bytes) {
    ByteBuf frames = allocator.directBuffer(bytes);
    for (Channel channel : channels) {
      frames.writeBytes(channel.announcement());
    }
    return frames;
  }

  /**
   * Answers an unsubscribe.
   *
   * @param subscription the tagged subscription that it named, or {@link ClientFrame#NO_REF}
   */
  public ByteBuf unsubscribed(long ref, String topic, long subscription) {
    return frame(
        "unsubscribed",
        ref,
        out -> {
          out.writeStringField("topic", topic);
          if (subscription != ClientFrame.NO_REF) {
            out.writeNumberField("subscription", subscription);
          }
        });
  }

  public ByteBuf published(long ref) {
    return frame("published", ref, out -> {});
  }

  public ByteBuf pong(long ref, long timeMs) {
    return frame("pong", ref, out -> out.writeNumberField("time", timeMs));
  }

  public ByteBuf stale() {
    return frame("stale", ClientFrame.NO_REF, out -> {});
  }

  public ByteBuf live() {
    return frame("live", ClientFrame.NO_REF, out -> {});
  }

  /**
   * Tells that messages may be missing.
   *
   * @param offset the next message is above it
   * @param timeMs the node's time
   */
  public ByteBuf gap(String topic, GapReason reason, long offset, long timeMs) {
    return frame(
        "gap",
        ClientFrame.NO_REF,
        out -> {
          out.writeStringField("topic", topic);
          out.writeStringField("reason", reason.code());
          out.writeNumberField("offset", offset);
          out.writeNumberField("time", timeMs);
        });
  }

  /**
   * A gap of a tagged subscription.
   *
   * @param gap that of plain ones, which stays the caller's
   */
  public ByteBuf gap(ByteBuf gap, long ref) {
    ByteBuf frame = allocator.directBuffer(gap.readableBytes() + FrameTag.MOST_BYTES);
    FrameTag.writeGap(gap, ref, frame);
    return frame;
  }

  /**
   * Tells that it is the client's turn to leave.
   *
   * @param deadlineMs when the node closes the connection, Unix milliseconds
   * @param url where to go, or null for the client's own addresses
   */
  public ByteBuf draining(long deadlineMs, String url) {
    return frame(
        "draining",
        ClientFrame.NO_REF,
        out -> {
          out.writeNumberField("deadline", deadlineMs);
          if (url != null) {
            out.writeStringField("url", url);
          }
        });
  }

  /** Names a better place; in the place of hello, the only one. */
  public ByteBuf redirect(String url) {
    return frame("redirect", ClientFrame.NO_REF, out -> out.writeStringField("url", url));
  }

  /**
   * Answers a frame that was not accepted.
   *
   * @param topic the topic that the frame named, or null
   */
  public ByteBuf error(long ref, ErrorCode code, String message, String topic) {
    return frame(
        "error",
        ref,
        out -> {
          out.writeStringField("code", code.code());
          out.writeStringField("message", message);
          if (topic != null) {
            out.writeStringField("topic", topic);
          }
        });
  }

  private ByteBuf frame(String type, long ref, Members members) {
    ByteBuf frame = allocator.directBuffer(USUAL_SIZE);
    frame.writeZero(WebSocketFrame.MAX_HEADER).readerIndex(WebSocketFrame.MAX_HEADER);
    try (OutputStream bytes = new ByteBufOutputStream(frame);
        JsonGenerator out = json.createGenerator(bytes)) {
      out.writeStartObject();
      out.writeStringField("type", type);
      if (ref != ClientFrame.NO_REF) {
        out.writeNumberField("ref", ref);
      }
      members.writeTo(out);
      out.writeEndObject();
    } catch (IOException e) {
      frame.release();
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
    return WebSocketFrame.prependHeader(frame, WebSocketFrame.TEXT);
  }
}
