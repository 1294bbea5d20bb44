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

/** What holds the connections. */
public enum Transport {
  /** The cheapest one that this system has. */
  AUTO,

  /** Linux: bare descriptors, one system call a read; channels where there is TLS. */
  EPOLL,

  /** Linux: the same, and the reads of a turn share a system call of an io_uring. */
  IO_URING,

  /** Any system: channels of the Java library's selectors. */
  NIO;

  /**
   * The transport that AUTO stands for here, or this one.
   *
   * @throws IOException if this system does not have it; the message says why
   */
  Transport resolve() throws IOException {
    if (this == AUTO) {
      return cheapest();
    }
    if (this != NIO && !Epoll.isAvailable()) {
      Throwable cause = Epoll.unavailabilityCause();
      throw new IOException("epoll is not available here: " + cause.getMessage(), cause);
    }
    return this;
  }

  private static Transport cheapest() {
    if (!Epoll.isAvailable()) {
      return NIO;
    }
    return IoUring.isAvailable() ? IO_URING : EPOLL;
  }

  /** What drives the event loops. */
  IoHandlerFactory handlers() {
    return this == NIO ? NioIoHandler.newFactory() : EpollIoHandler.newFactory();
  }

  /**
   * The connections of a loop that {@link #handlers} drives; call it on the loop.
   *
   * @param tls what to encrypt with, or null
   * @throws IOException if this system lacks what it takes
   */
  Connector links(IoEventLoop loop, SslContext tls, GatewayUrl url) throws IOException {
    if (this != NIO && tls == null) {
      return new DescriptorConnector(
          loop, this == IO_URING ? RingReads.open(loop) : new DirectReads());
    }
    Class<? extends Channel> channels =
        this == NIO ? NioSocketChannel.class : EpollSocketChannel.class;
    return new ChannelConnector(loop, channels, tls, url);
  }
}
