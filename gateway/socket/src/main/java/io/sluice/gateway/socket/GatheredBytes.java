package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.unix.IovArray;
import io.netty.channel.unix.Socket;
import java.io.IOException;

/** Buffers sent by one gathering system call. Bound to an event loop; reused. */
final class GatheredBytes implements AutoCloseable {
  /** Maximum number of buffers of one system call in Linux, {@code IOV_MAX}. */
  private static final int MAX_BUFFERS = 1024;

  private final IovArray buffers = new IovArray(MAX_BUFFERS);

  /** Adds the readable bytes after the first {@code from}. Returns false if it is full. */
  boolean add(ByteBuf bytes, int from) {
    return buffers.add(bytes, bytes.readerIndex() + from, bytes.readableBytes() - from);
  }

  long size() {
    return buffers.size();
  }

  /** Writes to a socket. Returns the number of bytes that the kernel took. */
  long writeTo(Socket socket) throws IOException {
    return socket.writevAddresses(buffers.memoryAddress(0), buffers.count());
  }

  void clear() {
    buffers.clear();
  }

  @Override
  public void close() {
    buffers.release();
  }
}
