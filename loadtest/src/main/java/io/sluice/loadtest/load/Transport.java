package io.sluice.loadtest.load;

import io.netty.channel.Channel;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;

/** I/O mechanism of the connections. Immutable, for any thread. */
public enum Transport {
  /** Cheapest transport available on this system. */
  AUTO,

  /** Linux: bare file descriptors with one system call per read; Netty channels for TLS. */
  EPOLL,

  /** Linux: as {@link #EPOLL}, but all reads of a loop iteration share one io_uring system call. */
  IO_URING,

  /** Any system: channels of Java's selectors. */
  NIO;

  /**
   * Returns the transport that AUTO selects on this system, or this one.
   *
   * @throws IOException if this system does not support it; the message contains the reason
   */
  Transport resolve() throws IOException {
    if (this == AUTO) {
      return cheapest();
    }
    if (this != NIO && !Epoll.isAvailable()) {
      Throwable cause = Epoll.unavailabilityCause();
      throw new IOException("epoll is not available: " + cause.getMessage(), cause);
    }
    return this;
  }

  private static Transport cheapest() {
    if (!Epoll.isAvailable()) {
      return NIO;
    }
    return IoUring.isAvailable() ? IO_URING : EPOLL;
  }

  /** Returns the I/O handlers of the event loops. */
  IoHandlerFactory handlers() {
    return this == NIO ? NioIoHandler.newFactory() : EpollIoHandler.newFactory();
  }

  /**
   * Returns the connector of an event loop with these {@link #handlers}. Called on that event loop.
   *
   * @param tls TLS settings, or null for plain connections
   * @throws IOException if this system does not support the transport
   */
  Connector connector(IoEventLoop loop, SslContext tls, GatewayUrl url) throws IOException {
    if (this != NIO && tls == null) {
      return new DescriptorConnector(
          loop, this == IO_URING ? IoUringReader.open(loop) : new DirectReader());
    }
    return channelConnector(loop, tls, url);
  }

  /** Returns a connector whose connections queue what the socket does not accept immediately. */
  Connector channelConnector(IoEventLoop loop, SslContext tls, GatewayUrl url) {
    Class<? extends Channel> channels =
        this == NIO ? NioSocketChannel.class : EpollSocketChannel.class;
    return new ChannelConnector(loop, channels, tls, url);
  }
}
