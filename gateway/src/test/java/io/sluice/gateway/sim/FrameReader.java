package io.sluice.gateway.sim;

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

  /** Null if the connection has no compression. */
  private final MessageInflater inflater;

  private byte[] bytes = new byte[1024];
  private int size;

  public FrameReader() {
    this(null);
  }

  /**
   * @param inflater decompressor of the connection, or null
   */
  FrameReader(MessageInflater inflater) {
    this.inflater = inflater;
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
    sink.onFrame(first & 0x0F, (first & DEFLATED) == 0 ? payload : inflated(payload));
    return true;
  }

  private ByteBuffer inflated(ByteBuffer payload) {
    byte[] compressed = new byte[payload.remaining()];
    payload.get(compressed);
    return ByteBuffer.wrap(inflater.inflate(compressed));
  }
}
