package io.sluice.gateway.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.concurrent.Executor;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;

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
}
