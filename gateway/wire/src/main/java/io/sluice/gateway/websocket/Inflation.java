package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Inflater of one event loop, shared by all its connections: without context takeover a message
 * does not depend on the previous one. Bound to the event loop.
 */
public final class Inflation implements AutoCloseable {
  /** Result of {@link #inflate}. */
  enum Result {
    DONE,
    TOO_BIG,
    CORRUPT
  }

  // The bytes that RFC 7692, section 7.2.2, appends to a message, and an additional empty last
  // block:
  // the inflater finishes exactly if the message is complete.
  private static final byte[] TAIL = {0, 0, -1, -1, 1, 0, 0, -1, -1};

  private static final int MIN_CAPACITY = 256;

  /**
   * Maximum number of times that one message may continue after a block that is marked as the last.
   *
   * <p>Senders that finish their deflater do so once per message or once per written part. A
   * restart costs about 0.15 µs, and an empty last block has two bytes. Without a bound, a message
   * of 64 KiB would block the event loop for 4 ms. With this bound, restarts cost at most 10 µs, as
   * much as a message itself.
   */
  static final int MAX_RESTARTS = 64;

  private final Inflater inflater = new Inflater(true);
  private int restarts; // of the current message

  /**
   * Inflates one complete message. One with more than {@link #MAX_RESTARTS} restarts is {@code
   * CORRUPT}.
   *
   * @param compressed owned by the caller; its indices do not change
   * @param out an empty buffer for the content; it receives a part unless the result is {@code
   *     DONE}, and at most one byte past the limit
   * @param maxBytes maximum length of the content
   */
  Result inflate(ByteBuf compressed, ByteBuf out, int maxBytes) {
    inflater.reset();
    restarts = 0;
    try {
      boolean fits =
          drain(compressed.nioBuffer(), out, maxBytes)
              && drain(ByteBuffer.wrap(TAIL), out, maxBytes);
      if (!fits) {
        return Result.TOO_BIG;
      }
      return inflater.finished() ? Result.DONE : Result.CORRUPT;
    } catch (DataFormatException e) {
      return Result.CORRUPT;
    } finally {
      inflater.setInput(
          TAIL, 0, 0); // drops the reference to the buffer, which its owner may release
    }
  }

  private boolean drain(ByteBuffer input, ByteBuf out, int maxBytes) throws DataFormatException {
    inflater.setInput(input);
    while (true) {
      int room = makeRoom(out, maxBytes);
      int written = inflater.inflate(out.internalNioBuffer(out.writerIndex(), room));
      out.writerIndex(out.writerIndex() + written);
      if (out.readableBytes() > maxBytes) {
        return false;
      }
      if (inflater.finished() && input.hasRemaining()) {
        restart(input);
      } else if (written < room) {
        return true;
      }
    }
  }

  // RFC 7692, section 7.2.3.4: a block that is marked as the last may be followed by others. They
  // begin with an empty window, like those of a sender that finishes and resets its deflater.
  private void restart(ByteBuffer input) throws DataFormatException {
    if (++restarts > MAX_RESTARTS) {
      throw new DataFormatException("more than " + MAX_RESTARTS + " last blocks");
    }
    inflater.reset();
    inflater.setInput(input);
  }

  private static int makeRoom(ByteBuf out, int maxBytes) {
    long max = maxBytes + 1L; // a byte past the limit means that the content is too big
    if (!out.isWritable()) {
      long doubled = Math.max(MIN_CAPACITY, 2L * out.capacity());
      out.capacity((int) Math.min(Math.min(doubled, max), Integer.MAX_VALUE));
    }
    return (int) Math.min(out.writableBytes(), max - out.readableBytes());
  }

  @Override
  public void close() {
    inflater.end();
  }
}
