package io.sluice.gateway.protocol.queue;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufOutputStream;
import io.sluice.gateway.protocol.ConsumerSource;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.JsonFrame;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.queue.QueueDelivery.Redelivery;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;

/**
 * Encoder of the server frames of queues: docs/PROTOCOL.md, sections 4 to 6. Each method returns a
 * complete WebSocket frame that the caller owns. Stateless, for any thread.
 */
public final class QueueFrames {
  private static final int USUAL_SIZE = 128;

  /** Bytes of a binary delivery before its members. */
  private static final int BINARY_HEADER = 21;

  private static final int TYPE_DELIVERY = 0x02;
  private static final int HAS_MEMBERS = 0x40;
  private static final int REDELIVERED = 0x80;
  private static final int MAX_MEMBER_BYTES = 0xFFFF;

  /** Members of a delivery except properties and payload, without long texts. */
  private static final int JSON_OVERHEAD = 192;

  private final ByteBufAllocator allocator;

  /** Creates an encoder that allocates frames from {@code allocator}. */
  public QueueFrames(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /** Returns the reply to a consume. */
  public ByteBuf consuming(long ref, ConsumerSource source) {
    return frame(
        "consuming",
        ref,
        out -> {
          write(out, source.destination());
          if (!source.isQueue()) {
            out.writeStringField(source.kind().member(), source.name());
          }
        });
  }

  private static void write(JsonGenerator out, Destination destination) throws IOException {
    out.writeStringField(destination.isQueue() ? "queue" : "topic", destination.name());
  }

  /** Returns the reply to an unsubscribe that ends a consumer. */
  public ByteBuf unsubscribed(long ref, Destination source, long subscription) {
    return frame(
        "unsubscribed",
        ref,
        out -> {
          write(out, source);
          out.writeNumberField("subscription", subscription);
        });
  }

  /** Returns the reply to a settlement that the broker has stored. */
  public ByteBuf settled(long ref, long subscription) {
    return frame("settled", ref, out -> out.writeNumberField("subscription", subscription));
  }

  /**
   * Returns the frame that reports the return of pending messages.
   *
   * @param tag the message; 0 for all pending messages
   */
  public ByteBuf released(long ref, long tag, ReleaseReason reason) {
    return frame(
        "released",
        ref,
        out -> {
          writeTag(out, tag);
          out.writeStringField("reason", reason.code());
        });
  }

  /** Returns the reply to a transaction that the broker has stored. */
  public ByteBuf committed(long ref) {
    return frame("committed", ref, out -> {});
  }

  /** Returns the reply to a request. */
  public ByteBuf reply(long ref, Reply reply) {
    return frame(
        "reply",
        ref,
        out -> {
          out.writeStringField("id", HexFormat.of().toHexDigits(reply.identity()));
          out.writeNumberField("time", reply.timeMs());
          write(out, "messageType", reply.messageType());
          if (reply.properties() != null) {
            writeJson(out, "properties", reply.properties());
          }
          writePayload(out, reply.kind(), reply.payload());
        });
  }

  /**
   * Returns the last reply to a browse.
   *
   * @param skipped number of messages that could not be delivered
   */
  public ByteBuf browsed(long ref, String queue, int count, boolean more, int skipped) {
    return frame(
        "browsed",
        ref,
        out -> {
          out.writeStringField("queue", queue);
          out.writeNumberField("count", count);
          out.writeBooleanField("more", more);
          if (skipped > 0) {
            out.writeNumberField("skipped", skipped);
          }
        });
  }

  /**
   * Returns the reply to a list.
   *
   * @param more whether the principal has further subscriptions
   */
  public ByteBuf listed(long ref, List<ListedDurable> durables, boolean more) {
    return frame(
        "listed",
        ref,
        out -> {
          out.writeArrayFieldStart("subscriptions");
          for (ListedDurable durable : durables) {
            write(out, durable);
          }
          out.writeEndArray();
          if (more) {
            out.writeBooleanField("more", true);
          }
        });
  }

  private static void write(JsonGenerator out, ListedDurable durable) throws IOException {
    out.writeStartObject();
    out.writeStringField("topic", durable.topic());
    out.writeStringField("durable", durable.name());
    write(out, "where", durable.where());
    write(out, "messages", durable.messages());
    write(out, "consumers", durable.consumers());
    out.writeEndObject();
  }

  private static void write(JsonGenerator out, String name, long number) throws IOException {
    if (number >= 0) {
      out.writeNumberField(name, number);
    }
  }

  /** Returns the reply to a delete. */
  public ByteBuf deleted(long ref, String topic, String name) {
    return frame(
        "deleted",
        ref,
        out -> {
          out.writeStringField("topic", topic);
          out.writeStringField("durable", name);
        });
  }

  /**
   * Returns the reply to a frame for a consumer that was not accepted.
   *
   * @param subscription ref of the consumer
   * @param tag the message, or 0
   */
  public ByteBuf error(long ref, ErrorCode code, String message, long subscription, long tag) {
    return frame(
        "error",
        ref,
        out -> {
          out.writeStringField("code", code.code());
          out.writeStringField("message", message);
          out.writeNumberField("subscription", subscription);
          writeTag(out, tag);
        });
  }

  private static void writeTag(JsonGenerator out, long tag) throws IOException {
    if (tag > 0) {
      out.writeNumberField("tag", tag);
    }
  }

  /**
   * Returns a message of a queue.
   *
   * @param ref that of the consumer or the browse
   * @param binary whether a binary frame is preferred
   */
  public ByteBuf delivery(long ref, QueueDelivery delivery, boolean binary) {
    ByteBuf frame = binary ? binary(ref, delivery) : null;
    return frame == null ? json(ref, delivery) : frame;
  }

  private ByteBuf json(long ref, QueueDelivery delivery) {
    int payload = delivery.payload().length;
    int escaped =
        delivery.kind() == PayloadKind.BYTES ? payload / 3 * 4 + 4 : payload + payload / 8;
    return frame(
        JSON_OVERHEAD + bytes(delivery.properties()) + escaped,
        "delivery",
        ref,
        out -> {
          writeTag(out, delivery.tag());
          if (delivery.redelivery() == Redelivery.COUNTED) {
            out.writeBooleanField("redelivered", true);
          }
          out.writeStringField("id", HexFormat.of().toHexDigits(delivery.identity()));
          out.writeNumberField("time", delivery.timeMs());
          writeMembers(out, delivery);
          writePayload(out, delivery.kind(), delivery.payload());
        });
  }

  private static void writeMembers(JsonGenerator out, QueueDelivery delivery) throws IOException {
    if (delivery.redelivery() == Redelivery.UNKNOWN) {
      out.writeStringField("redelivered", Redelivery.UNKNOWN.text());
    }
    write(out, "topic", delivery.topic());
    write(out, "messageType", delivery.messageType());
    write(out, "correlationId", delivery.correlationId());
    Destination replyTo = delivery.replyTo();
    if (replyTo != null) {
      out.writeObjectFieldStart("replyTo");
      write(out, replyTo);
      out.writeEndObject();
    }
    write(out, "group", delivery.group());
    if (delivery.properties() != null) {
      writeJson(out, "properties", delivery.properties());
    }
  }

  private static void write(JsonGenerator out, String name, String text) throws IOException {
    if (text != null) {
      out.writeStringField(name, text);
    }
  }

  private static void writePayload(JsonGenerator out, PayloadKind kind, byte[] payload)
      throws IOException {
    switch (kind) {
      case TEXT -> {
        out.writeFieldName("payload");
        out.writeUTF8String(payload, 0, payload.length);
      }
      case BYTES -> {
        out.writeStringField("encoding", "base64");
        out.writeBinaryField("payload", payload);
      }
      case JSON -> {
        out.writeStringField("encoding", "json");
        writeJson(out, "payload", payload);
      }
    }
  }

  /** Writes a value that is JSON in UTF-8 already, without decoding it. */
  private static void writeJson(JsonGenerator out, String name, byte[] utf8) throws IOException {
    out.writeFieldName(name);
    out.writeRawValue(""); // only the colon
    out.flush();
    ((OutputStream) out.getOutputTarget()).write(utf8);
  }

  /** Returns a binary frame, or null if its members are too long for one. */
  private ByteBuf binary(long ref, QueueDelivery delivery) {
    int capacity =
        WebSocketFrame.MAX_HEADER
            + BINARY_HEADER
            + (hasMembers(delivery) ? JSON_OVERHEAD + bytes(delivery.properties()) : 0)
            + delivery.payload().length;
    ByteBuf frame = allocator.directBuffer(capacity);
    try {
      frame.writeZero(WebSocketFrame.MAX_HEADER).readerIndex(WebSocketFrame.MAX_HEADER);
      frame.writeByte(
          TYPE_DELIVERY
              | delivery.kind().ordinal() << 4
              | (hasMembers(delivery) ? HAS_MEMBERS : 0)
              | (delivery.redelivery() == Redelivery.NONE ? 0 : REDELIVERED));
      frame.writeInt((int) ref);
      frame.writeInt((int) delivery.tag());
      frame.writeLong(delivery.identity());
      frame.writeInt((int) delivery.timeMs());
      if (hasMembers(delivery) && !writeBinaryMembers(frame, delivery)) {
        frame.release();
        return null;
      }
      frame.writeBytes(delivery.payload());
      return WebSocketFrame.prependHeader(frame, WebSocketFrame.BINARY);
    } catch (IOException e) {
      frame.release();
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
  }

  private static boolean hasMembers(QueueDelivery delivery) {
    return delivery.redelivery() == Redelivery.UNKNOWN
        || delivery.properties() != null
        || delivery.messageType() != null
        || delivery.correlationId() != null
        || delivery.replyTo() != null
        || delivery.group() != null
        || delivery.topic() != null;
  }

  /** Writes the members behind their length; returns false if they are too long. */
  private boolean writeBinaryMembers(ByteBuf frame, QueueDelivery delivery) throws IOException {
    int lengthAt = frame.writerIndex();
    frame.writeShort(0);
    try (OutputStream bytes = new ByteBufOutputStream(frame);
        JsonGenerator out = JsonText.generator(bytes)) {
      out.writeStartObject();
      writeMembers(out, delivery);
      out.writeEndObject();
    }
    int length = frame.writerIndex() - lengthAt - Short.BYTES;
    frame.setShort(lengthAt, length);
    return length <= MAX_MEMBER_BYTES;
  }

  private static int bytes(byte[] content) {
    return content == null ? 0 : content.length;
  }

  private ByteBuf frame(String type, long ref, JsonFrame.Members members) {
    return frame(USUAL_SIZE, type, ref, members);
  }

  private ByteBuf frame(int capacity, String type, long ref, JsonFrame.Members members) {
    return JsonFrame.of(allocator, capacity, type, ref, members);
  }
}
