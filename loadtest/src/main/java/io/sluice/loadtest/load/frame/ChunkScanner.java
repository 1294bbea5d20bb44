package io.sluice.loadtest.load.frame;

import io.netty.buffer.ByteBuf;

/**
 * Scanner of an HTTP body with chunked transfer coding (RFC 9112, section 7.1), which passes the
 * data on. Bound to its client's event loop.
 */
public final class ChunkScanner {
  private static final int HEX = 16;
  private static final long MAX_CHUNK = Integer.MAX_VALUE;

  /** Part of a chunk that the next byte belongs to. */
  private enum Part {
    SIZE,
    EXTENSION,
    DATA,
    END,
    TRAILER
  }

  private final FrameScanner.Payload payload;
  private Part part = Part.SIZE;
  private long size;

  /** Creates a scanner at the beginning of a body. */
  public ChunkScanner(FrameScanner.Payload payload) {
    this.payload = payload;
  }

  /** Returns whether the last chunk has been read. */
  public boolean isComplete() {
    return part == Part.TRAILER;
  }

  /**
   * Reads all of the bytes.
   *
   * @return a protocol violation, or null
   */
  public String read(ByteBuf in, ByteBuf scratch) {
    String fault = null;
    while (fault == null && in.isReadable()) {
      fault = part == Part.DATA ? readData(in, scratch) : readByte(in.readByte());
    }
    return fault;
  }

  private String readData(ByteBuf in, ByteBuf scratch) {
    int end = in.writerIndex();
    int count = (int) Math.min(size, in.readableBytes());
    in.writerIndex(in.readerIndex() + count);
    String fault = payload.read(in, scratch);
    in.writerIndex(end);
    size -= count;
    if (size == 0) {
      part = Part.END;
    }
    return fault;
  }

  private String readByte(byte value) {
    if (part == Part.TRAILER) {
      return null;
    }
    if (value == '\n') {
      return endLine();
    }
    if (part == Part.SIZE) {
      int digit = Character.digit(value, HEX);
      if (digit < 0) {
        part = Part.EXTENSION;
      } else {
        size = size * HEX + digit;
      }
    }
    return size > MAX_CHUNK ? "a chunk of the response is too large" : null;
  }

  private String endLine() {
    if (part == Part.END) {
      part = Part.SIZE;
    } else {
      part = size == 0 ? Part.TRAILER : Part.DATA;
    }
    return null;
  }
}
