package io.sluice.gateway.admin;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

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
    return new DefaultSslContextFactory(SslProvider.JDK, false) {
      @Override
      public SslContext create() throws SSLException {
        return new Context(super.create(), connections);
      }
    };
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

  /** TLS handler of one connection. */
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
      connections.onHandshakeBegin(close, connections.nowMs());
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
