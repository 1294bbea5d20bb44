package io.sluice.gateway.socket;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.transport.Transport;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Vert.x transport of the clients' port. Tracks the listening sockets, so that they can be closed
 * before the event loops stop, and bounds the iterations of epoll loops. For any thread.
 *
 * <p>An epoll loop of Netty serves all ready sockets before its tasks. Without the bound, thousands
 * of simultaneous handshakes would delay all messages until the last handshake is done.
 */
public final class ClientTransport implements Transport {
  /** A TLS handshake is the most expensive event of a socket: 16 of them take about 2 ms. */
  private static final int MAX_READY_SOCKETS = 16;

  private final Transport chosen;
  private final io.vertx.core.spi.transport.Transport implementation;
  private final Set<Channel> listening = ConcurrentHashMap.newKeySet();
  private final AcceptTargets targets = new AcceptTargets();

  private ClientTransport(Transport chosen) {
    this.chosen = chosen;
    this.implementation = chosen == Transport.EPOLL ? new BoundedEpoll() : new Nio();
  }

  /** Returns a transport that behaves like the chosen one: epoll or NIO. */
  public static ClientTransport of(Transport chosen) {
    return new ClientTransport(chosen);
  }

  /** Vert.x's epoll transport with a bound on the sockets that one iteration serves. */
  private final class BoundedEpoll extends EpollTransport {
    @Override
    public IoHandlerFactory ioHandlerFactory() {
      return EpollIoHandler.newFactory(MAX_READY_SOCKETS, DefaultSelectStrategyFactory.INSTANCE);
    }

    @Override
    public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
      super.configure(config, domainSocket, bootstrap);
      bootstrap.attr(AcceptorChannel.BOOTSTRAP, bootstrap);
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
      return tracked(
          domainSocket
              ? super.serverChannelFactory(domainSocket)
              : () -> new AcceptorChannel(targets));
    }
  }

  private final class Nio extends NioTransport {
    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
      return tracked(super.serverChannelFactory(domainSocket));
    }
  }

  private ChannelFactory<? extends ServerChannel> tracked(
      ChannelFactory<? extends ServerChannel> sockets) {
    return () -> {
      ServerChannel socket = sockets.newChannel();
      listening.add(socket);
      socket.closeFuture().addListener(closed -> listening.remove(socket));
      return socket;
    };
  }

  /**
   * Passes the sockets that are accepted on a port to an event loop, in turn with other loops of
   * this port. Until then, Vert.x serves them.
   *
   * @param sockets of the event loop
   * @param listener receives the requests of these sockets, on the loop
   */
  public void serve(int port, EpollSockets sockets, HandshakeSocket.Listener listener) {
    targets.add(new AcceptTarget(port, sockets, listener));
  }

  /** Passes no more accepted sockets to an event loop. */
  public void stopServing(EpollSockets sockets) {
    targets.remove(sockets);
  }

  /**
   * Closes the listening sockets; accepted connections stay open. A Vert.x server that closes
   * releases its event loops first and then fails to register what it still accepts.
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
  public io.vertx.core.spi.transport.Transport implementation() {
    return implementation;
  }
}
