package io.sluice.loadtest.load;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/**
 * Connector that opens bare file descriptors on an epoll event loop, without channels. Bound to
 * that event loop.
 */
final class DescriptorConnector implements Connector {
  private static final int IPPROTO_IP = 0;
  private static final int IP_BIND_ADDRESS_NO_PORT = 24;

  private final IoEventLoop loop;
  private final SocketReader reads;

  DescriptorConnector(IoEventLoop loop, SocketReader reads) {
    this.loop = loop;
    this.reads = reads;
  }

  @Override
  public Link connect(Link.Listener listener, InetSocketAddress to, InetSocketAddress from)
      throws IOException {
    boolean six = to.getAddress() instanceof Inet6Address;
    LinuxSocket socket =
        LinuxSocket.newSocketStream(six ? SocketProtocolFamily.INET6 : SocketProtocolFamily.INET);
    DescriptorLink link = new DescriptorLink(reads, socket, listener);
    try {
      socket.setTcpNoDelay(true);
      if (from != null) {
        // Otherwise bind() reserves the port for all destinations.
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
      throw new IOException("the event loop rejected the file descriptor", registered.cause());
    }
    link.register(registered.getNow());
  }

  @Override
  public void close() {
    reads.close();
  }
}
