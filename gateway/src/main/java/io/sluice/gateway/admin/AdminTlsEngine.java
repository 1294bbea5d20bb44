package io.sluice.gateway.admin;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/**
 * TLS engine of the admin port that reports connections when they are accepted. Vert.x reports them
 * after the TLS handshake. Immutable; handlers are bound to the port's event loop.
 */
final class AdminTlsEngine extends JdkSSLEngineOptions {
  private final AdminConnections connections;

  AdminTlsEngine(AdminConnections connections) {
    this.connections = connections;
  }

  @Override
  public AdminTlsEngine copy() {
    return this;
  }

  @Override
  public SslContextFactory sslContextFactory() {
    return new Factory(super.sslContextFactory());
  }

  /** The JDK's factory; its contexts make our handlers. */
  private final class Factory implements SslContextFactory {
    private final SslContextFactory jdk;

    Factory(SslContextFactory jdk) {
      this.jdk = jdk;
    }

    @Override
    public SslContextFactory useAlpn(boolean alpn) {
      jdk.useAlpn(alpn);
      return this;
    }

    @Override
    public SslContextFactory clientAuth(ClientAuth auth) {
      jdk.clientAuth(auth);
      return this;
    }

    @Override
    public SslContextFactory forClient(boolean client) {
      jdk.forClient(client);
      return this;
    }

    @Override
    public SslContextFactory keyMananagerFactory(KeyManagerFactory keys) {
      jdk.keyMananagerFactory(keys);
      return this;
    }

    @Override
    public SslContextFactory trustManagerFactory(TrustManagerFactory trust) {
      jdk.trustManagerFactory(trust);
      return this;
    }

    @Override
    public SslContextFactory enabledCipherSuites(Set<String> suites) {
      jdk.enabledCipherSuites(suites);
      return this;
    }

    @Override
    public SslContextFactory applicationProtocols(List<String> protocols) {
      jdk.applicationProtocols(protocols);
      return this;
    }

    @Override
    public SslContextFactory serverName(String name) {
      jdk.serverName(name);
      return this;
    }

    @Override
    public SslContext create() throws SSLException {
      return new Context(jdk.create(), connections);
    }
  }

  private static final class Context extends DelegatingSslContext {
    private final AdminConnections connections;

    Context(SslContext jdk, AdminConnections connections) {
      super(jdk);
      this.connections = connections;
    }

    @Override
    protected SslHandler newHandler(
        ByteBufAllocator alloc, String peer, int port, boolean startTls, Executor tasks) {
      return newHandler(alloc, startTls, tasks);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, boolean startTls, Executor tasks) {
      return new Handler(newEngine(alloc), tasks, connections);
    }

    @Override
    protected void initEngine(SSLEngine engine) {
      // Vert.x sets the protocols.
    }
  }

  /** One connection's TLS. */
  private static final class Handler extends SslHandler {
    private final AdminConnections connections;
    private Runnable close;

    Handler(SSLEngine engine, Executor tasks, AdminConnections connections) {
      super(engine, false, tasks);
      this.connections = connections;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
      close = context::close;
      connections.onHandshakeBegin(close, AdminServer.nowMs());
      handshakeFuture().addListener(done -> connections.onHandshakeEnd(close));
      super.channelActive(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
      connections.onHandshakeEnd(close);
      super.channelInactive(context);
    }
  }
}
