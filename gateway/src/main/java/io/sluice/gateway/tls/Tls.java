package io.sluice.gateway.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ReferenceCountUtil;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of the port on which clients connect: certificates, protocols, ciphers and the engine that
 * encrypts, read again when the files change. For any thread.
 *
 * <p>The context is ours and not made by Vert.x, so that a connection can be known from its first
 * moment: Vert.x tells of one only when its TLS handshake is over.
 */
public final class Tls implements AutoCloseable {
  /** Callbacks on the connections of the port. Called on the connection's event loop. */
  public interface Listener {
    /** A connection was accepted; its TLS handshake begins. */
    void onAccepted(Channel channel);

    /** The TLS handshake failed; the connection is about to close. */
    void onHandshakeFailed(Channel channel);

    /** The connection was closed. */
    void onClosed(Channel channel);
  }

  private static final Logger log = LoggerFactory.getLogger(Tls.class);

  private static final long CLOSE_LIMIT_S = 5;

  private final TlsOptions options;
  private final SslProvider provider;
  private final InstantSource clock;
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(Tls::thread);
  private volatile TlsFiles files;
  private volatile SslContext current;

  // Bound to the watching thread once it runs.
  private List<FileState> seen;
  private Instant refusalsBegin;
  private String trouble;

  private Tls(TlsOptions options, SslProvider provider, InstantSource clock) throws UnusableTls {
    this.options = options;
    this.provider = provider;
    this.clock = clock;
    load();
  }

  /**
   * Reads the certificate and loads the engine.
   *
   * @return empty if the configuration names no certificate, so that clients connect in plain text
   */
  public static Optional<Tls> open(TlsOptions options) throws UnusableTls {
    return open(options, InstantSource.system());
  }

  /** The same with a clock by which revocation lists become too old. */
  static Optional<Tls> open(TlsOptions options, InstantSource clock) throws UnusableTls {
    return TlsIdentity.read(options.first()).isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Tls(options, provider(options.engine(), OpenSsl.unavailabilityCause()), clock));
  }

  /**
   * Returns the engine's provider. That of OpenSSL is reference counted: the other kind would leave
   * each connection to a finalizer.
   *
   * @param cause why the native library does not load, or null
   */
  static SslProvider provider(String engine, Throwable cause) throws UnusableTls {
    if (engine.equals("jdk")) {
      return jdk();
    }
    if (cause == null) {
      return SslProvider.OPENSSL_REFCNT;
    }
    if (engine.equals("openssl")) {
      String what = "the native library does not load on this machine: " + cause;
      throw new UnusableTls(ServerSettings.TLS_ENGINE, what, cause);
    }
    log.atWarn()
        .addKeyValue("wanted", "openssl")
        .addKeyValue("taken", "jdk")
        .setCause(cause)
        .log("tls.fallback");
    return jdk();
  }

  private static SslProvider jdk() {
    TlsSuites.refuseRenegotiation();
    return SslProvider.JDK;
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "sluice-tls");
    thread.setDaemon(true);
    return thread;
  }

  // What changes while it is read differs from what was seen before, and so is read again.
  private void load() throws UnusableTls {
    seen = FileState.of(options.files());
    use(TlsFiles.read(options).orElseThrow());
  }

  private void use(TlsFiles read) throws UnusableTls {
    SslContext before = current;
    current = TlsContext.of(provider, read);
    files = read;
    refusalsBegin = read.refusalsBeginAfter(clock.instant()).orElse(Instant.MAX);
    ReferenceCountUtil.release(before);
  }

  /** From now on the files are read again when they change. */
  public void watch(GatewayMetrics metrics) {
    tell(metrics);
    long everyMs = options.reload().toMillis();
    watch.scheduleWithFixedDelay(() -> reload(metrics), everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  /** Does what has become due since the last time. */
  void reload(GatewayMetrics metrics) {
    if (trouble != null || !FileState.of(options.files()).equals(seen)) {
      read(metrics);
    }
    if (!clock.instant().isBefore(refusalsBegin)) {
      forgetSessions();
    }
  }

  private void read(GatewayMetrics metrics) {
    try {
      load();
      trouble = null;
      log.atInfo().addKeyValue("certificate-ends", files.certificateEnds()).log("tls.reloaded");
    } catch (UnusableTls | RuntimeException e) {
      onTrouble(String.valueOf(e.getMessage()));
    } catch (OutOfMemoryError e) { // of a huge list; it must not end what looks after the files
      onTrouble(String.valueOf(e));
    }
    tell(metrics);
  }

  // A client that resumes a session of TLS is not checked again. With a new context nobody does,
  // so that all are held against a list that is too old by now.
  private void forgetSessions() {
    try {
      use(files);
      log.atWarn().log("tls.crl-ended");
    } catch (UnusableTls | RuntimeException e) {
      onTrouble(String.valueOf(e.getMessage()));
    }
  }

  private void onTrouble(String what) {
    if (!what.equals(trouble)) {
      log.atError().addKeyValue("cause", what).log("tls.reload-failed");
    }
    trouble = what;
  }

  private void tell(GatewayMetrics metrics) {
    metrics
        .tls()
        .onRead(
            files.certificateEnds().toEpochMilli(),
            files.revocationsEnd().map(Instant::toEpochMilli).orElse(0L));
    metrics.tls().onOutdated(trouble != null);
  }

  /** Makes the engine of one connection, which keeps its context until the connection is gone. */
  SSLEngine newEngine(ByteBufAllocator allocator, Executor tasks) {
    SslContext context = retained();
    try {
      // Its handler goes unused, but the engine of one takes many records at once, which those of
      // newEngine() do not.
      return context.newHandler(allocator, tasks).engine();
    } finally {
      ReferenceCountUtil.release(context);
    }
  }

  /** What new connections are given. */
  SslContext context() {
    return current;
  }

  private SslContext retained() {
    while (true) {
      SslContext context = current;
      try {
        return ReferenceCountUtil.retain(context);
      } catch (IllegalReferenceCountException replaced) {
        if (context == current) {
          throw replaced; // it is closed
        }
      }
    }
  }

  /** The engine in use: openssl or jdk. */
  public String engine() {
    return provider == SslProvider.JDK ? "jdk" : "openssl";
  }

  /** Lets a server of this node speak TLS. */
  public void secure(HttpServerOptions server, Listener listener) {
    server
        .setSsl(true)
        .setUseAlpn(false) // the upgrade to a WebSocket is a matter of HTTP/1.1
        .setSslHandshakeTimeout(0) // PendingHandshakes ends those that are slow
        .setEnabledSecureTransportProtocols(TlsSuites.PROTOCOLS)
        .setClientAuth(clientAuth())
        .setKeyCertOptions(new TlsEngine.Identity())
        .setSslEngineOptions(new TlsEngine(this, context(), listener));
  }

  private ClientAuth clientAuth() {
    return files
        .clients()
        .map(clients -> clients.required() ? ClientAuth.REQUIRED : ClientAuth.REQUEST)
        .orElse(ClientAuth.NONE);
  }

  /** Frees what the engine holds outside the heap, once the last connection is gone. */
  @Override
  public void close() {
    watch.shutdown();
    try {
      if (!watch.awaitTermination(CLOSE_LIMIT_S, TimeUnit.SECONDS)) {
        log.atWarn().addKeyValue("part", "tls").log("node.stop-failed");
        return; // it may hang on a disk, and still need the context
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    ReferenceCountUtil.release(current);
  }
}
