package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;

/** Reader with one system call per read into a shared buffer. Bound to its event loop. */
final class DirectReader implements SocketReader {
  private static final int READ_BYTES = 64 * 1024;

  private final ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer(READ_BYTES, READ_BYTES);

  @Override
  public void read(DescriptorLink link, boolean ending) throws IOException {
    for (int i = 0; i < MAX_READS; i++) {
      int count = receive(link);
      if (count < 0) {
        link.end(null);
        return;
      }
      link.read(in.setIndex(0, count));
      if (count == 0 || count < READ_BYTES && !ending || !link.isOpen()) {
        return;
      }
    }
    link.rearm();
  }

  private int receive(DescriptorLink link) throws IOException {
    try {
      return link.fd().recvAddress(in.memoryAddress(), 0, READ_BYTES);
    } catch (NotYetConnectedException e) { // thrown by Netty for a reset socket
      throw new IOException("the connection was reset", e);
    }
  }

  @Override
  public void beforeClose() {
    // No reads are queued.
  }

  @Override
  public void close() {
    in.release();
  }
}
