package io.sluice.gateway.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;

/**
 * Vert.x's epoll with event loops that look after a few ready sockets at a time, and then after
 * their tasks, messages for clients among them. For any thread.
 *
 * <p>Netty's own loops look after all sockets that are ready first. Thousands of clients that end
 * their handshakes in the same moment would hold up everybody's messages until the last of them is
 * in.
 */
public final class BoundedEpoll implements Transport {
  /** Handshakes are what costs most for one socket: some 2 ms of them. */
  private static final int READY_AT_ONCE = 16;

  private final Transport epoll;

  private BoundedEpoll(Transport epoll) {
    this.epoll = epoll;
  }

  /** Event loops like those of this transport, which is Vert.x's epoll, but bounded. */
  public static io.vertx.core.transport.Transport of(io.vertx.core.transport.Transport epoll) {
    Transport bounded = new BoundedEpoll(epoll.implementation());
    return new io.vertx.core.transport.Transport() {
      @Override
      public String name() {
        return epoll.name();
      }

      @Override
      public boolean available() {
        return epoll.available();
      }

      @Override
      public Throwable unavailabilityCause() {
        return epoll.unavailabilityCause();
      }

      @Override
      public Transport implementation() {
        return bounded;
      }
    };
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return EpollIoHandler.newFactory(READY_AT_ONCE, DefaultSelectStrategyFactory.INSTANCE);
  }

  @Override
  public boolean supportsDomainSockets() {
    return epoll.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return epoll.supportFileRegion();
  }

  @Override
  public boolean isAvailable() {
    return epoll.isAvailable();
  }

  @Override
  public Throwable unavailabilityCause() {
    return epoll.unavailabilityCause();
  }

  @Override
  public java.net.SocketAddress convert(SocketAddress address) {
    return epoll.convert(address);
  }

  @Override
  public SocketAddress convert(java.net.SocketAddress address) {
    return epoll.convert(address);
  }

  @Override
  public DatagramChannel datagramChannel() {
    return epoll.datagramChannel();
  }

  @Override
  @SuppressWarnings("deprecation") // the interface names it
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return epoll.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return epoll.channelFactory(domainSocket);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return epoll.serverChannelFactory(domainSocket);
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    epoll.configure(channel, options);
  }

  @Override
  public void configure(
      ClientOptionsBase options, int timeoutMs, boolean domainSocket, Bootstrap bootstrap) {
    epoll.configure(options, timeoutMs, domainSocket, bootstrap);
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    epoll.configure(options, domainSocket, bootstrap);
  }
}
