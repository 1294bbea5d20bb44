package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.zip.Deflater;

/**
 * Owns a deflater and compresses messages for permessage-deflate (RFC 7692) without context
 * takeover, so that one result serves every client. Bound to one thread.
 */
public final class Deflation implements AutoCloseable {
  // The empty stored block that ends a flushed stream; its last four bytes are not sent.
  private static final int TAIL_BYTES = 4;

  private static final int SLACK = 64;
  private static final int MOST_KEPT = 256 * 1024;
  private static final byte[] NOTHING = {};

  private final ByteBufAllocator allocator;
  private final Deflater deflater;
  private ByteBuf result;

  /**
   * @param level 1 (fastest) to 9 (smallest)
   */
  public Deflation(ByteBufAllocator allocator, int level) {
    this.allocator = allocator;
    this.deflater = new Deflater(level, true);
    this.result = allocator.buffer(1024);
  }

  /**
   * Compresses the payload's readable bytes, whose indices stay as they are.
   *
   * @return the payload of a frame with RSV1, lent until the next call
   */
  public ByteBuf deflate(ByteBuf payload) {
    makeRoom(payload.readableBytes());
    if (!payload.isReadable()) {
      return result.writeByte(0);
    }
    deflater.reset();
    deflater.setInput(payload.nioBuffer());
    while (!flush()) {
      result.capacity(2 * result.capacity());
    }
    deflater.setInput(NOTHING); // lets go of the payload, which its owner may release
    return result.writerIndex(result.writerIndex() - TAIL_BYTES);
  }

  private boolean flush() {
    int room = result.writableBytes();
    int written =
        deflater.deflate(result.internalNioBuffer(result.writerIndex(), room), Deflater.SYNC_FLUSH);
    result.writerIndex(result.writerIndex() + written);
    return written < room;
  }

  // Room for what does not compress, so that one flush does: each further one adds an empty block.
  private void makeRoom(int payloadBytes) {
    int bytes = Math.toIntExact(payloadBytes + payloadBytes / 1024L + SLACK);
    result.clear();
    if (result.capacity() < bytes || result.capacity() > MOST_KEPT && bytes <= MOST_KEPT) {
      ByteBuf larger =
          allocator.buffer(bytes); // may fail, and then the old one must still be there
      result.release();
      result = larger;
    }
  }

  @Override
  public void close() {
    result.release();
    deflater.end();
  }
}
