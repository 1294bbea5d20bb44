package io.sluice.gateway.socket;

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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Vert.x's transport for the clients' port. It keeps the listening sockets, which can be closed
 * before the event loops stop, and bounds the turns of epoll loops. For any thread.
 *
 * <p>An epoll loop of Netty serves all ready sockets before its tasks. Thousands of clients that
 * end their handshakes in the same moment would delay everybody's messages until the last handshake
 * is done.
 */
public final class ClientTransport implements Transport {
  /** Handshakes are what costs most for one socket: some 2 ms of them. */
  private static final int READY_AT_ONCE = 16;

  private final io.vertx.core.transport.Transport chosen;
  private final Transport delegate;
  private final Set<Channel> listening = ConcurrentHashMap.newKeySet();

  private ClientTransport(io.vertx.core.transport.Transport chosen) {
    this.chosen = chosen;
    this.delegate = chosen.implementation();
  }

  /** A transport like the chosen one. */
  public static ClientTransport of(io.vertx.core.transport.Transport chosen) {
    return new ClientTransport(chosen);
  }

  /** The form in which Vert.x takes it. */
  public io.vertx.core.transport.Transport forVertx() {
    return new io.vertx.core.transport.Transport() {
      @Override
      public String name() {
        return chosen.name();
      }

      @Override
      public boolean available() {
        return chosen.available();
      }

      @Override
      public Throwable unavailabilityCause() {
        return chosen.unavailabilityCause();
      }

      @Override
      public Transport implementation() {
        return ClientTransport.this;
      }
    };
  }

  /**
   * Closes the listening sockets; accepted connections stay open. A server of Vert.x that closes
   * gives up its event loops first and then fails to register what it still accepts.
   */
  public CompletionStage<Void> stopListening() {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Channel socket : listening) {
      CompletableFuture<Void> closed = new CompletableFuture<>();
      socket.close().addListener(done -> closed.complete(null));
      all = all.thenCombine(closed, (first, second) -> null);
    }
    return all;
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return chosen == io.vertx.core.transport.Transport.EPOLL
        ? EpollIoHandler.newFactory(READY_AT_ONCE, DefaultSelectStrategyFactory.INSTANCE)
        : delegate.ioHandlerFactory();
  }

  @Override
  public boolean supportsDomainSockets() {
    return delegate.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return delegate.supportFileRegion();
  }

  @Override
  public boolean isAvailable() {
    return delegate.isAvailable();
  }

  @Override
  public Throwable unavailabilityCause() {
    return delegate.unavailabilityCause();
  }

  @Override
  public java.net.SocketAddress convert(SocketAddress address) {
    return delegate.convert(address);
  }

  @Override
  public SocketAddress convert(java.net.SocketAddress address) {
    return delegate.convert(address);
  }

  @Override
  public DatagramChannel datagramChannel() {
    return delegate.datagramChannel();
  }

  @Override
  @SuppressWarnings("deprecation") // the interface names it
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return delegate.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return delegate.channelFactory(domainSocket);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    ChannelFactory<? extends ServerChannel> sockets = delegate.serverChannelFactory(domainSocket);
    return () -> {
      ServerChannel socket = sockets.newChannel();
      listening.add(socket);
      socket.closeFuture().addListener(closed -> listening.remove(socket));
      return socket;
    };
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    delegate.configure(channel, options);
  }

  @Override
  public void configure(
      ClientOptionsBase options, int timeoutMs, boolean domainSocket, Bootstrap bootstrap) {
    delegate.configure(options, timeoutMs, domainSocket, bootstrap);
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    delegate.configure(options, domainSocket, bootstrap);
  }
}
