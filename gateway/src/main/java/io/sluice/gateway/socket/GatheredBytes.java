package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.unix.IovArray;
import io.netty.channel.unix.Socket;
import java.io.IOException;

/** Several buffers that leave in one system call. Bound to an event loop; used again and again. */
final class GatheredBytes implements AutoCloseable {
  /** As many as the kernel takes. */
  private static final int MOST = 1024;

  private final IovArray buffers = new IovArray(MOST);

  /** Adds what follows the first {@code from} readable bytes; false if there is no more room. */
  boolean add(ByteBuf bytes, int from) {
    return buffers.add(bytes, bytes.readerIndex() + from, bytes.readableBytes() - from);
  }

  long size() {
    return buffers.size();
  }

  /** Writes what the kernel takes, and returns how much that was. */
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
