package io.sluice.loadtest.crowd;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.channels.NotYetConnectedException;

/**
 * Connections that are bare descriptors on an epoll loop: no channel, no buffer of their own. All
 * read into the same one. Bound to that loop.
 */
final class DescriptorLinks implements Links {
  private static final int READ_BYTES = 64 * 1024;

  /** Full reads of one client before the others have their turn. */
  private static final int READS = 4;

  private static final int IPPROTO_IP = 0;
  private static final int IP_BIND_ADDRESS_NO_PORT = 24;

  private final IoEventLoop loop;
  private final ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer(READ_BYTES, READ_BYTES);

  DescriptorLinks(IoEventLoop loop) {
    this.loop = loop;
  }

  @Override
  public Link connect(Client client, InetSocketAddress to, InetSocketAddress from)
      throws IOException {
    boolean six = to.getAddress() instanceof Inet6Address;
    LinuxSocket socket =
        LinuxSocket.newSocketStream(six ? SocketProtocolFamily.INET6 : SocketProtocolFamily.INET);
    DescriptorLink link = new DescriptorLink(this, socket, client);
    try {
      socket.setTcpNoDelay(true);
      if (from != null) {
        // Else each port would be taken whatever it connects to.
        socket.setIntOpt(IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
        socket.bind(from);
      }
      socket.connect(to);
      register(link);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    return link;
  }

  private void register(DescriptorLink link) throws IOException {
    Future<IoRegistration> registered = loop.register(link);
    if (!registered.isSuccess()) {
      throw new IOException("the event loop takes no descriptor", registered.cause());
    }
    link.register(registered.getNow());
  }

  /**
   * Reads what has come.
   *
   * @param ending whether the end has come, too
   */
  void read(DescriptorLink link, boolean ending) throws IOException {
    for (int i = 0; i < READS; i++) {
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
  public void close() {
    in.release();
  }
}
