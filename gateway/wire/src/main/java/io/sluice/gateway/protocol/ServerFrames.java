package io.sluice.gateway.protocol;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.protocol.value.MessageTime;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;

/**
 * Encoder of all server frames except messages: docs/PROTOCOL.md, section 4. Each method returns a
 * complete WebSocket frame that the caller owns. Stateless, for any thread.
 */
public final class ServerFrames {
  private static final int USUAL_SIZE = 256;

  private final ByteBufAllocator allocator;

  public ServerFrames(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /** Members of {@code hello}, the first frame of a session. */
  public record Hello(
      String node,
      String version,
      String session,
      String subject,
      long expiresMs,
      long timeMs,
      boolean brokerUp,
      String identity,
      NodeLimits limits) {}

  /**
   * Members of {@code hello} that are the same for all sessions of a node, encoded once.
   *
   * @param json members of an object, without its braces
   */
  public record NodeLimits(String json) {
    /** Returns the members with these values. */
    public static NodeLimits of(
        long pingIntervalMs,
        long messageBytes,
        int subscriptions,
        int topicLength,
        int topicDepth,
        int publishRate,
        int overlap,
        List<String> features) {
      StringWriter json = new StringWriter();
      try (JsonGenerator out = JsonText.generator(json)) {
        out.writeStartObject();
        out.writeNumberField("pingInterval", pingIntervalMs);
        out.writeObjectFieldStart("limits");
        out.writeNumberField("messageBytes", messageBytes);
        out.writeNumberField("subscriptions", subscriptions);
        out.writeNumberField("topicLength", topicLength);
        out.writeNumberField("topicDepth", topicDepth);
        out.writeNumberField("publishRate", publishRate);
        out.writeNumberField("overlap", overlap);
        out.writeEndObject();
        out.writeArrayFieldStart("features");
        for (String feature : features) {
          out.writeString(feature);
        }
        out.writeEndArray();
        out.writeEndObject();
      } catch (IOException e) {
        throw new UncheckedIOException("a text in memory cannot be written", e);
      }
      return new NodeLimits(json.getBuffer().substring(1, json.getBuffer().length() - 1));
    }
  }

  public ByteBuf hello(Hello hello) {
    return frame(
        "hello",
        ClientFrame.NO_REF,
        out -> {
          out.writeStringField("node", hello.node());
          out.writeStringField("version", hello.version());
          out.writeStringField("session", hello.session());
          out.writeStringField("subject", hello.subject());
          writeExpiry(out, hello.expiresMs());
          out.writeNumberField("time", hello.timeMs());
          out.writeStringField("broker", hello.brokerUp() ? "up" : "down");
          out.writeStringField("identity", hello.identity());
          out.writeRaw(',');
          out.writeRaw(hello.limits().json());
        });
  }

  /**
   * Returns the reply to a refresh; {@code expiresMs} is Long.MAX_VALUE for a credential without
   * expiry. The member is absent also if the time is over {@link MessageTime#MAX_MS}.
   */
  public ByteBuf refreshed(long ref, long expiresMs) {
    return frame("refreshed", ref, out -> writeExpiry(out, expiresMs));
  }

  private static void writeExpiry(JsonGenerator out, long expiresMs) throws IOException {
    if (expiresMs <= MessageTime.MAX_MS) {
      out.writeNumberField("expires", expiresMs);
    }
  }

  /**
   * Returns the reply to a subscribe.
   *
   * @param binary whether the frame includes the channel's number
   * @param tagged whether {@code ref} identifies the subscription
   * @param compressed whether the client accepts compressed frames
   */
  public ByteBuf subscribed(
      long ref,
      String topic,
      SubscriptionStart start,
      boolean binary,
      boolean tagged,
      boolean compressed) {
    return frame(
        "subscribed",
        ref,
        out -> {
          out.writeStringField("topic", topic);
          if (start.source() != null) {
            out.writeStringField("source", start.source());
          }
          writeEpoch(out, start.epoch(), start.site());
          out.writeNumberField("offset", start.offset());
          if (start.ids() != null) {
            writeIds(out, start.ids());
          }
          if (start.replay() > 0) {
            out.writeNumberField("replay", start.replay());
          }
          if (start.recovered() != null) {
            out.writeBooleanField("recovered", start.recovered());
          }
          if (start.timeMs() > 0) {
            out.writeNumberField("time", start.timeMs());
          }
          if (binary && start.channel() != null) {
            out.writeNumberField("channel", start.channel().number());
          }
          if (tagged) {
            out.writeBooleanField("tagged", true);
          } else if (compressed) {
            out.writeNumberField("stream", start.stream());
          }
        });
  }

  private static void writeEpoch(JsonGenerator out, long epoch, Site site) throws IOException {
    out.writeStringField("epoch", LogEpoch.text(epoch, site));
  }

  private static void writeIds(JsonGenerator out, long[] ids) throws IOException {
    out.writeArrayFieldStart("ids");
    for (long id : ids) {
      out.writeString(HexFormat.of().toHexDigits(id));
    }
    out.writeEndArray();
  }

  /** Returns a frame with the time up to which the broker has delivered all messages. */
  public ByteBuf caughtUp(long timeMs) {
    return frame("caught-up", ClientFrame.NO_REF, out -> out.writeNumberField("time", timeMs));
  }

  /** Returns the frame that announces the channel number of a pattern's topic. */
  public ByteBuf channel(Channel channel) {
    return channels(List.of(channel), channelBytes(channel));
  }

  /** Returns the size of the frame that announces a channel. */
  public int channelBytes(Channel channel) {
    return channel.announcement().length;
  }

  /**
   * Returns one buffer with a frame for each channel.
   *
   * @param bytes total size of the frames
   */
  public ByteBuf channels(List<Channel> channels, int bytes) {
    ByteBuf frames = allocator.directBuffer(bytes);
    for (Channel channel : channels) {
      frames.writeBytes(channel.announcement());
    }
    return frames;
  }

  /**
   * Returns the reply to an unsubscribe.
   *
   * @param subscription ref of the tagged subscription, or {@link ClientFrame#NO_REF}
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

  /**
   * Returns the frame that reports lost sources.
   *
   * @param sources their names; empty if all sources of the node are lost
   */
  public ByteBuf stale(List<String> sources) {
    return frame(
        "stale",
        ClientFrame.NO_REF,
        out -> {
          if (!sources.isEmpty()) {
            out.writeArrayFieldStart("sources");
            for (String source : sources) {
              out.writeString(source);
            }
            out.writeEndArray();
          }
        });
  }

  public ByteBuf live() {
    return frame("live", ClientFrame.NO_REF, out -> {});
  }

  /**
   * Returns the frame that reports possibly missing messages.
   *
   * @param offset lower bound of the next message's offset, exclusive
   * @param timeMs the node's time
   * @param begun stream that begins here, or null
   */
  public ByteBuf gap(String topic, GapReason reason, long offset, long timeMs, BegunStream begun) {
    return frame(
        "gap",
        ClientFrame.NO_REF,
        out -> {
          out.writeStringField("topic", topic);
          out.writeStringField("reason", reason.code());
          out.writeNumberField("offset", offset);
          out.writeNumberField("time", timeMs);
          if (begun != null) {
            writeEpoch(out, begun.epoch(), begun.site());
            writeIds(out, begun.ids());
          }
        });
  }

  /**
   * Returns a gap of a tagged subscription.
   *
   * @param gap frame for plain subscriptions; the caller keeps ownership
   */
  public ByteBuf gap(ByteBuf gap, long ref) {
    ByteBuf frame = allocator.directBuffer(gap.readableBytes() + FrameTag.MAX_BYTES);
    FrameTag.writeGap(gap, ref, frame);
    return frame;
  }

  /**
   * Returns the frame that requests the client to leave.
   *
   * @param deadlineMs time at which the node closes the connection, Unix milliseconds
   * @param url redirect target, or null for the client's configured addresses
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

  /** Returns a redirect to another node. Sent instead of {@code hello} it is mandatory. */
  public ByteBuf redirect(String url) {
    return frame("redirect", ClientFrame.NO_REF, out -> out.writeStringField("url", url));
  }

  /**
   * Returns the reply to a frame that was not accepted.
   *
   * @param destination topic or queue of the frame, or null
   */
  public ByteBuf error(long ref, ErrorCode code, String message, Destination destination) {
    return frame(
        "error",
        ref,
        out -> {
          out.writeStringField("code", code.code());
          out.writeStringField("message", message);
          if (destination != null) {
            out.writeStringField(destination.isQueue() ? "queue" : "topic", destination.name());
          }
        });
  }

  private ByteBuf frame(String type, long ref, JsonFrame.Members members) {
    return JsonFrame.of(allocator, USUAL_SIZE, type, ref, members);
  }
}
