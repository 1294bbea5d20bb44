package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * Buffer of the TLS records that the clients of an event loop are about to be sent. Reused for
 * every batch, and therefore in the processor's cache. Bound to that loop.
 */
final class TlsRecords implements AutoCloseable {
  /** Maximum plaintext of one record (RFC 8446, 5.1). */
  static final int MAX_PLAINTEXT = 16 * 1024;

  /** Maximum plaintext of one call. More is left to Netty, which does not copy it. */
  static final int MAX_BYTES = 4 * MAX_PLAINTEXT;

  /** Size of the buffer: records of some hundred small messages. */
  private static final int CAPACITY = 128 * 1024;

  /** Upper bound of what encryption adds to a record, and of an answer to a key update. */
  private static final int OVERHEAD = 256;

  private final ByteBuf plain;
  private final ByteBuf records;

  TlsRecords(ByteBufAllocator allocator) {
    plain = allocator.directBuffer(MAX_PLAINTEXT, MAX_PLAINTEXT);
    try {
      records = allocator.directBuffer(CAPACITY, CAPACITY);
    } catch (OutOfMemoryError e) {
      plain.release();
      throw e;
    }
  }

  /** Returns whether there is room for records of so many bytes of plaintext. */
  boolean fits(long bytes) {
    return records.writableBytes() >= bytes + OVERHEAD * (1 + bytes / MAX_PLAINTEXT);
  }

  /** Returns the buffer, whose readable bytes end with the latest record. */
  ByteBuf buffer() {
    return records;
  }

  /** Discards all records, or those behind an index. */
  void truncate(int index) {
    records.writerIndex(index);
  }

  /** Begins the records of one client. */
  void begin() {
    plain.clear();
  }

  /** Adds plaintext, which is copied. Buffers that fit into one record share it. */
  void add(ByteBuf bytes, SSLEngine engine) throws SSLException {
    int from = bytes.readerIndex();
    while (from < bytes.writerIndex()) {
      int count = Math.min(plain.writableBytes(), bytes.writerIndex() - from);
      plain.writeBytes(bytes, from, count);
      from += count;
      if (!plain.isWritable()) {
        end(engine);
      }
    }
  }

  /** Ends the client's last record. */
  void end(SSLEngine engine) throws SSLException {
    if (plain.isReadable()) {
      encrypt(engine);
      plain.clear();
    }
  }

  private void encrypt(SSLEngine engine) throws SSLException {
    ByteBuffer in = plain.internalNioBuffer(0, plain.readableBytes());
    ByteBuffer out = records.internalNioBuffer(records.writerIndex(), records.writableBytes());
    SSLEngineResult result = engine.wrap(in, out);
    records.writerIndex(records.writerIndex() + result.bytesProduced());
    if (in.hasRemaining()) {
      throw new SSLException("encrypted " + result.bytesConsumed() + " bytes only: " + result);
    }
  }

  @Override
  public void close() {
    plain.release();
    records.release();
  }
}
