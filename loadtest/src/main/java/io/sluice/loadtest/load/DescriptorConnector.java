package io.sluice.loadtest.load;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Opens bare file descriptors on an epoll loop, without channel and buffer. Bound to that loop. */
final class DescriptorConnector implements Connector {
  private static final int IPPROTO_IP = 0;
  private static final int IP_BIND_ADDRESS_NO_PORT = 24;

  private final IoEventLoop loop;
  private final Reads reads;

  DescriptorConnector(IoEventLoop loop, Reads reads) {
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

  @Override
  public void close() {
    reads.close();
  }
}
