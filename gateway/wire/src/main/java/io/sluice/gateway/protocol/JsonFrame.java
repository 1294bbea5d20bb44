package io.sluice.gateway.protocol;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufOutputStream;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Frames for clients that consist of one JSON object. Stateless. */
public final class JsonFrame {
  private JsonFrame() {}

  /** The members of one frame, after {@code type} and {@code ref}. */
  @FunctionalInterface
  public interface Members {
    /** Writes the members. */
    void writeTo(JsonGenerator generator) throws IOException;
  }

  /**
   * Returns a frame, which the caller owns.
   *
   * @param capacity usual size of the frame in bytes
   * @param ref the client's ref, or {@link ClientFrame#NO_REF}
   */
  public static ByteBuf of(
      ByteBufAllocator allocator, int capacity, String type, long ref, Members members) {
    ByteBuf frame = allocator.directBuffer(capacity);
    frame.writeZero(WebSocketFrame.MAX_HEADER).readerIndex(WebSocketFrame.MAX_HEADER);
    try (OutputStream bytes = new ByteBufOutputStream(frame);
        JsonGenerator out = JsonText.generator(bytes)) {
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
