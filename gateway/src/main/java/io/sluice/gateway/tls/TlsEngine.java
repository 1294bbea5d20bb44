package io.sluice.gateway.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** Gives Vert.x a TLS context that is ours. Immutable, for any thread. */
final class TlsEngine extends SSLEngineOptions {
  private final SslContext context;

  /**
   * @param first the context of the time, for what Vert.x asks of one beside its handlers
   */
  TlsEngine(Tls tls, SslContext first, Tls.Listener listener) {
    this.context = new Context(tls, first, listener);
  }

  @Override
  public SSLEngineOptions copy() {
    return this;
  }

  @Override
  public SslContextFactory sslContextFactory() {
    return () -> context;
  }

  /** Makes the handlers of connections; all else is the engine's. */
  private static final class Context extends DelegatingSslContext {
    private final Tls tls;
    private final Tls.Listener listener;

    Context(Tls tls, SslContext first, Tls.Listener listener) {
      super(first);
      this.tls = tls;
      this.listener = listener;
    }

    @Override
    protected SslHandler newHandler(
        ByteBufAllocator alloc, String peer, int port, boolean startTls, Executor tasks) {
      return newHandler(alloc, startTls, tasks);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, boolean startTls, Executor tasks) {
      return new TlsHandler(tls.newEngine(alloc, tasks), tasks, listener);
    }

    @Override
    protected void initEngine(SSLEngine engine) {
      // Vert.x sets the protocols.
    }
  }

  /** Vert.x asks for a certificate; ours is in the context already. */
  static final class Identity implements KeyCertOptions {
    @Override
    public KeyCertOptions copy() {
      return this;
    }

    @Override
    public KeyManagerFactory getKeyManagerFactory(Vertx vertx) {
      return null;
    }

    @Override
    public Function<String, KeyManagerFactory> keyManagerFactoryMapper(Vertx vertx) {
      return null;
    }
  }

  /**
   * TLS handler of one connection, which reports it as a pending handshake when it is accepted.
   * Bound to its event loop.
   */
  private static final class TlsHandler extends SslHandler {
    /** How long TLS's own farewell may wait for a client that does not read. */
    private static final long FAREWELL_MS = 250;

    private final Tls.Listener listener;

    TlsHandler(SSLEngine engine, Executor tasks, Tls.Listener listener) {
      super(engine, false, tasks);
      this.listener = listener;
      setCloseNotifyFlushTimeoutMillis(0); // see close()
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
      Channel channel = context.channel();
      listener.onAccepted(channel);
      handshakeFuture().addListener(done -> onHandshake(channel, done.cause()));
      super.channelActive(context);
    }

    /** A client that only goes away has not failed. */
    private void onHandshake(Channel channel, Throwable failure) {
      if (failure instanceof SSLException) {
        listener.onHandshakeFailed(channel);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
      listener.onClosed(context.channel());
      super.channelInactive(context);
    }

    // The farewell goes behind all that is queued, so a client that does not read would put off its
    // own end. Netty's time-out for that tells the operator of each one.
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
      super.close(context, promise);
      if (context.channel().isOpen()) {
        context.executor().schedule(() -> context.close(), FAREWELL_MS, TimeUnit.MILLISECONDS);
      }
    }
  }
}
