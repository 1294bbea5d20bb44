package io.sluice.gateway.presence;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.JsonFrame;
import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.protocol.presence.PresenceView;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;

/**
 * Encoder of the frames of presence. The members of a frame that many clients receive are encoded
 * once, without its first members. Stateless, for any thread.
 */
final class PresenceFrames {
  /** Usual size of {@code left}. */
  private static final int LEFT_BYTES = 128;

  private final ByteBufAllocator allocator;

  /** Creates an encoder that allocates frames from {@code allocator}. */
  PresenceFrames(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /**
   * Encodes a state as the last members of {@code present}.
   *
   * @param listed whether the members are included, if there are not too many
   */
  byte[] state(PresenceView view, boolean listed) {
    return object(
        out -> {
          out.writeNumberField("count", view.count());
          if (listed && !view.isTruncated()) {
            write(out, "members", view.members());
          }
          writeFlags(out, view, listed);
        });
  }

  /** Encodes a change of the members as the last members of {@code present}. */
  byte[] change(PresenceView view, Collection<PresenceMember> joined, Collection<String> left) {
    return object(
        out -> {
          out.writeNumberField("count", view.count());
          if (!joined.isEmpty()) {
            write(out, "joined", joined);
          }
          if (!left.isEmpty()) {
            out.writeArrayFieldStart("left");
            for (String id : left) {
              out.writeString(id);
            }
            out.writeEndArray();
          }
          writeFlags(out, view, true);
        });
  }

  private static void writeFlags(JsonGenerator out, PresenceView view, boolean listed)
      throws IOException {
    if (listed && view.isTruncated()) {
      out.writeBooleanField("truncated", true);
    }
    if (view.partial()) {
      out.writeBooleanField("partial", true);
    }
  }

  private static void write(JsonGenerator out, String name, Collection<PresenceMember> members)
      throws IOException {
    out.writeArrayFieldStart(name);
    for (PresenceMember member : members) {
      out.writeStartObject();
      out.writeStringField("id", member.id());
      if (!member.subject().isEmpty()) {
        out.writeStringField("subject", member.subject());
      }
      if (member.info() != null) {
        out.writeFieldName("info");
        out.writeRawValue(member.info());
      }
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  /** Returns a change for all clients that watch a topic. The caller owns the frame. */
  ByteBuf present(String topic, byte[] state) {
    return present(ClientFrame.NO_REF, topic, null, state);
  }

  /**
   * Returns the answer to {@code presence}. The caller owns the frame.
   *
   * @param self id of the client's member, or null
   */
  ByteBuf present(long ref, String topic, String self, byte[] state) {
    byte[] head = head(ref, topic, self);
    ByteBuf frame = allocator.directBuffer(WebSocketFrame.MAX_HEADER + head.length + state.length);
    frame.writeZero(WebSocketFrame.MAX_HEADER).readerIndex(WebSocketFrame.MAX_HEADER);
    frame
        .writeBytes(head, 0, head.length - 1)
        .writeByte(',')
        .writeBytes(state, 1, state.length - 1);
    return WebSocketFrame.prependHeader(frame, WebSocketFrame.TEXT);
  }

  /** Returns the answer to {@code leave}. The caller owns the frame. */
  ByteBuf left(long ref, String topic) {
    return JsonFrame.of(
        allocator, LEFT_BYTES, "left", ref, out -> out.writeStringField("topic", topic));
  }

  private static byte[] head(long ref, String topic, String self) {
    return object(
        out -> {
          out.writeStringField("type", "present");
          if (ref != ClientFrame.NO_REF) {
            out.writeNumberField("ref", ref);
          }
          out.writeStringField("topic", topic);
          if (self != null) {
            out.writeStringField("self", self);
          }
        });
  }

  private static byte[] object(JsonFrame.Members members) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = JsonText.generator(bytes)) {
      out.writeStartObject();
      members.writeTo(out);
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }
}
