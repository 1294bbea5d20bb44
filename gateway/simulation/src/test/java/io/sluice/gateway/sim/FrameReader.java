package io.sluice.gateway.sim;

import io.sluice.gateway.websocket.WebSocketFrame;
import io.sluice.testkit.CompressedFrames;
import io.sluice.testkit.MessageInflater;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Parser of WebSocket messages in the bytes from a node. One instance per connection. */
public final class FrameReader {
  /** Receiver of messages. */
  public interface Sink {
    void onFrame(int opcode, ByteBuffer payload);
  }

  private static final int DEFLATED = 0x40;

  /** Null if the connection has no compression, like the next one. */
  private final MessageInflater inflater;

  private final CompressedFrames frames;

  private byte[] bytes = new byte[1024];
  private int size;

  public FrameReader() {
    this(null, null);
  }

  /**
   * @param inflater decompressor of the connection, or null
   * @param frames decoder of its compressed frames, or null
   */
  FrameReader(MessageInflater inflater, CompressedFrames frames) {
    this.inflater = inflater;
    this.frames = frames;
  }

  public void read(byte[] more, Sink sink) {
    if (size + more.length > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * (size + more.length));
    }
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
    ByteBuffer all = ByteBuffer.wrap(bytes, 0, size);
    int taken = 0;
    while (readOne(all, sink)) {
      taken = all.position();
    }
    System.arraycopy(bytes, taken, bytes, 0, size - taken);
    size -= taken;
  }

  private boolean readOne(ByteBuffer all, Sink sink) {
    if (all.remaining() < 2) {
      return false;
    }
    int first = all.get();
    int length = all.get();
    if (length == 126) {
      if (all.remaining() < 2) {
        return false;
      }
      length = all.getShort() & 0xFFFF;
    } else if (length == 127) {
      if (all.remaining() < 8) {
        return false;
      }
      length = (int) all.getLong();
    }
    if (all.remaining() < length) {
      return false;
    }
    ByteBuffer payload = all.slice(all.position(), length);
    all.position(all.position() + length);
    if ((first & DEFLATED) != 0) {
      sink.onFrame(first & 0x0F, ByteBuffer.wrap(inflater.inflate(bytes(payload))));
    } else if (frames != null
        && (first & 0x0F) == WebSocketFrame.BINARY
        && CompressedFrames.isCompressed(bytes(payload.duplicate()))) {
      CompressedFrames.Content content = frames.decode(bytes(payload));
      int opcode = content.text() ? WebSocketFrame.TEXT : WebSocketFrame.BINARY;
      sink.onFrame(opcode, ByteBuffer.wrap(content.payload()));
    } else {
      sink.onFrame(first & 0x0F, payload);
    }
    return true;
  }

  private static byte[] bytes(ByteBuffer payload) {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    return bytes;
  }
}
