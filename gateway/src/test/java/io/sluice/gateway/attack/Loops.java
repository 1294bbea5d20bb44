package io.sluice.gateway.attack;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.ThreadFactory;

/** Event loops of clients, by epoll where there is one. Stateless. */
public final class Loops {
  private Loops() {}

  /** One daemon thread. */
  public static EventLoopGroup one(String name) {
    ThreadFactory threads =
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        };
    return new MultiThreadIoEventLoopGroup(
        1, threads, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  /** Connections on such a loop. */
  public static Bootstrap bootstrap(EventLoopGroup loop) {
    return new Bootstrap()
        .group(loop)
        .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true);
  }
}
