package io.sluice.gateway.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.NotSslRecordException;
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

/** Vert.x engine options that supply the context of {@link Tls}. Immutable, for any thread. */
final class TlsEngine extends SSLEngineOptions {
  private final SslContext context;

  /**
   * @param first the current context, to which all methods except newHandler are delegated
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

  /** Context that creates the handlers of connections and delegates all other methods. */
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

  /** Empty certificate options, which Vert.x requires; the context has the certificate. */
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
    /** Maximum time for sending close_notify to a client that does not read. */
    private static final long CLOSE_NOTIFY_MS = 250;

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
      handshakeFuture().addListener(done -> onHandshake(context, done.cause()));
      super.channelActive(context);
    }

    /** Reports a failed handshake. A client that disconnects has not failed. */
    private void onHandshake(ChannelHandlerContext context, Throwable failure) {
      if (failure instanceof SSLException) {
        boolean plain = failure instanceof NotSslRecordException;
        listener.onHandshakeFailed(context.channel(), context, plain);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
      listener.onClosed(context.channel());
      super.channelInactive(context);
    }

    // close_notify is sent behind all queued data, so a client that does not read would delay its
    // own
    // end. Netty's timeout for this logs a warning for each client.
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
      super.close(context, promise);
      if (context.channel().isOpen()) {
        context.executor().schedule(() -> context.close(), CLOSE_NOTIFY_MS, TimeUnit.MILLISECONDS);
      }
    }
  }
}
