package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;

/** One system call a read, all into the same buffer. Bound to its event loop. */
final class DirectReads implements Reads {
  private static final int READ_BYTES = 64 * 1024;

  private final ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer(READ_BYTES, READ_BYTES);

  @Override
  public void read(DescriptorLink link, boolean ending) throws IOException {
    for (int i = 0; i < MOST_IN_TURN; i++) {
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
    } catch (NotYetConnectedException e) { // what Netty says of a socket that was reset
      throw new IOException("the connection is gone", e);
    }
  }

  @Override
  public void beforeClose() {
    // Nothing waits.
  }

  @Override
  public void close() {
    in.release();
  }
}
