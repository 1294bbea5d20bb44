package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.Deflater;

/**
 * Compressor for permessage-deflate (RFC 7692) without a context. A result without dictionary is
 * valid for every client; one with a dictionary for those whose window ends with it. Bound to one
 * thread.
 */
public final class Deflation implements AutoCloseable {
  /** Maximum bytes of a dictionary: the window of a decompressor (RFC 1951). */
  static final int WINDOW = 32 * 1024;

  // The empty stored block that ends a flushed stream; its last four bytes are not sent.
  private static final int TAIL_BYTES = 4;

  private static final int SLACK = 64;
  private static final int MAX_RETAINED = 256 * 1024;
  private static final byte[] NOTHING = {};

  /** One of this many compressions is measured, so that the clock takes no relevant time. */
  private static final int SAMPLED = 16;

  private final ByteBufAllocator allocator;
  private final Deflater deflater;
  private final LongAdder nanos;
  private int calls;
  private ByteBuf result;

  /**
   * @param level 1 (fastest) to 9 (smallest)
   */
  public Deflation(ByteBufAllocator allocator, int level) {
    this(allocator, level, new LongAdder());
  }

  /**
   * @param level 1 (fastest) to 9 (smallest)
   * @param nanos counter of the estimated time of compression
   */
  public Deflation(ByteBufAllocator allocator, int level, LongAdder nanos) {
    this.nanos = nanos;
    this.allocator = allocator;
    this.deflater = new Deflater(level, true);
    this.result = allocator.buffer(1024);
  }

  /**
   * Compresses the payload's readable bytes; its indices do not change.
   *
   * @return payload of a frame with RSV1, valid until the next call
   */
  public ByteBuf deflate(ByteBuf payload) {
    return deflate(payload, Unpooled.EMPTY_BUFFER);
  }

  /**
   * Compresses the payload's readable bytes with a preset dictionary.
   *
   * @param dictionary content at the end of the decompressor's window; its last 32 KiB are used
   * @return payload of a frame with RSV1, valid until the next call
   */
  public ByteBuf deflate(ByteBuf payload, ByteBuf dictionary) {
    if (calls++ % SAMPLED != 0) {
      return compress(payload, dictionary);
    }
    long startNs = System.nanoTime();
    try {
      return compress(payload, dictionary);
    } finally {
      nanos.add(SAMPLED * (System.nanoTime() - startNs));
    }
  }

  private ByteBuf compress(ByteBuf payload, ByteBuf dictionary) {
    makeRoom(payload.readableBytes());
    if (!payload.isReadable()) {
      return result.writeByte(0);
    }
    deflater.reset();
    if (dictionary.isReadable()) {
      int bytes = Math.min(WINDOW, dictionary.readableBytes());
      deflater.setDictionary(dictionary.nioBuffer(dictionary.writerIndex() - bytes, bytes));
    }
    deflater.setInput(payload.nioBuffer());
    while (!flush()) {
      result.capacity(2 * result.capacity());
    }
    deflater.setInput(NOTHING); // drops the reference to the payload, which its owner may release
    return result.writerIndex(result.writerIndex() - TAIL_BYTES);
  }

  private boolean flush() {
    int room = result.writableBytes();
    int written =
        deflater.deflate(result.internalNioBuffer(result.writerIndex(), room), Deflater.SYNC_FLUSH);
    result.writerIndex(result.writerIndex() + written);
    return written < room;
  }

  // Enough for incompressible data, so that one flush suffices: each further one adds an empty
  // block.
  private void makeRoom(int payloadBytes) {
    int bytes = Math.toIntExact(payloadBytes + payloadBytes / 1024L + SLACK);
    result.clear();
    if (result.capacity() < bytes || result.capacity() > MAX_RETAINED && bytes <= MAX_RETAINED) {
      ByteBuf larger =
          allocator.buffer(bytes); // allocated first: if this fails, the old buffer stays valid
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
