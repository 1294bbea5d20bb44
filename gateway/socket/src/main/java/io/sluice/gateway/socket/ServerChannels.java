package io.sluice.gateway.socket;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.bootstrap.ServerBootstrapConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;

/** Channels of a Vert.x server for sockets that it has not accepted itself. For any thread. */
final class ServerChannels {
  private final ServerBootstrapConfig bootstrap;

  ServerChannels(ServerBootstrap bootstrap) {
    this.bootstrap = bootstrap.config();
  }

  /** Returns a channel for an accepted socket; null if the client has disconnected. */
  static EpollSocketChannel open(int descriptor) {
    try {
      EpollSocketChannel channel = new EpollSocketChannel(descriptor);
      if (channel.isActive() && channel.remoteAddress() != null) {
        return channel;
      }
    } catch (ChannelException e) {
      // The state of the socket is unknown; it is closed.
    }
    EpollSockets.closeQuietly(descriptor);
    return null;
  }

  /**
   * Adds the server's handler and options to a channel, and registers it at an event loop.
   *
   * @param onFailed called if this is impossible; the channel is closed then
   */
  void serve(EpollSocketChannel channel, EventLoop loop, Runnable onFailed) {
    try {
      channel.config().setOptions(bootstrap.childOptions());
    } catch (ChannelException e) {
      channel.unsafe().closeForcibly(); // without an event loop, it cannot be closed otherwise
      onFailed.run();
      return;
    }
    channel.pipeline().addLast(bootstrap.childHandler());
    loop.register(channel)
        .addListener(
            registered -> {
              if (!registered.isSuccess()) {
                onFailed.run();
              }
            });
  }
}
