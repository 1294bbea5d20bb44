package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Owns the one inflater of an event loop: with no context takeover a message needs no memory of the
 * one before it, so all connections of the loop share it. Bound to the event loop.
 */
public final class Inflation implements AutoCloseable {
  /** How the inflation of one message ended. */
  enum Outcome {
    DONE,
    TOO_BIG,
    CORRUPT
  }

  // What RFC 7692, section 7.2.2, appends to a message, and then an empty last block of our own:
  // the inflater comes to its end exactly if the message was whole.
  private static final byte[] TAIL = {0, 0, -1, -1, 1, 0, 0, -1, -1};

  private static final int LEAST_ROOM = 256;

  /**
   * Most times that one message may go on behind a block that is marked as the last.
   *
   * <p>Senders that end their deflater do so once a message, or once for each part that they write.
   * A restart costs about 0.15 µs and an empty last block has two bytes, so that without a bound a
   * message of 64 KiB holds the event loop for 4 ms. With this one, restarts cost at most 10 µs,
   * which is what a message costs anyway.
   */
  static final int MOST_RESTARTS = 64;

  private final Inflater inflater = new Inflater(true);
  private int restarts; // of the current message

  /**
   * Inflates one whole message. One with more than {@link #MOST_RESTARTS} restarts is {@code
   * CORRUPT}.
   *
   * @param compressed stays the caller's, its indices as they are
   * @param out an empty buffer; takes the content, or a part of it if the outcome is another than
   *     {@code DONE}, and never more than one byte over the limit
   * @param maxBytes most bytes that the content may have
   */
  Outcome inflate(ByteBuf compressed, ByteBuf out, int maxBytes) {
    inflater.reset();
    restarts = 0;
    try {
      boolean fits =
          drain(compressed.nioBuffer(), out, maxBytes)
              && drain(ByteBuffer.wrap(TAIL), out, maxBytes);
      if (!fits) {
        return Outcome.TOO_BIG;
      }
      return inflater.finished() ? Outcome.DONE : Outcome.CORRUPT;
    } catch (DataFormatException e) {
      return Outcome.CORRUPT;
    } finally {
      inflater.setInput(TAIL, 0, 0); // lets go of the buffer, which its owner may release
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
  // begin with an empty window, as those of a sender that ends and resets its deflater.
  private void restart(ByteBuffer input) throws DataFormatException {
    if (++restarts > MOST_RESTARTS) {
      throw new DataFormatException("more than " + MOST_RESTARTS + " last blocks");
    }
    inflater.reset();
    inflater.setInput(input);
  }

  private static int makeRoom(ByteBuf out, int maxBytes) {
    long most = maxBytes + 1L; // the byte over the limit tells too big from just right
    if (!out.isWritable()) {
      long doubled = Math.max(LEAST_ROOM, 2L * out.capacity());
      out.capacity((int) Math.min(Math.min(doubled, most), Integer.MAX_VALUE));
    }
    return (int) Math.min(out.writableBytes(), most - out.readableBytes());
  }

  @Override
  public void close() {
    inflater.end();
  }
}
