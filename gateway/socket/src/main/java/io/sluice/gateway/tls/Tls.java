package io.sluice.gateway.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
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
 * TLS of the clients' port: certificates, protocols, ciphers and engine. Reloads the files when
 * they change. For any thread.
 *
 * <p>The context is not created by Vert.x, which reports a connection only after its TLS handshake.
 * This context reports it when it is accepted.
 */
public final class Tls implements AutoCloseable {
  /** Callbacks on the connections of the port. Called on the connection's event loop. */
  public interface Listener {
    /** Called when a connection is accepted; its TLS handshake begins. */
    void onAccepted(Channel channel);

    /**
     * Called when the TLS handshake failed; the connection is about to close.
     *
     * @param tls writes bytes without encryption
     * @param plain whether the client sent a request without TLS
     */
    void onHandshakeFailed(Channel channel, ChannelHandlerContext tls, boolean plain);

    /** Called when the connection is closed. */
    void onClosed(Channel channel);
  }

  private static final Logger log = LoggerFactory.getLogger(Tls.class);

  private static final long CLOSE_LIMIT_S = 5;

  private final TlsOptions options;
  private final SslProvider provider;
  private final InstantSource clock;
  private final ScheduledExecutorService watcher =
      Executors.newSingleThreadScheduledExecutor(Tls::thread);
  private volatile TlsFiles files;
  private volatile SslContext current;

  // Bound to the watch thread after watch().
  private List<FileState> loadedStates;
  private Instant revocationsExpireAt;
  private String problem;

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

  /** Reads the certificate with a clock for the expiry of revocation lists. */
  static Optional<Tls> open(TlsOptions options, InstantSource clock) throws UnusableTls {
    return TlsIdentity.read(options.first()).isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Tls(options, provider(options.engine(), OpenSsl.unavailabilityCause()), clock));
  }

  /**
   * Returns the engine's provider. The OpenSSL provider is the reference counted one: the other one
   * frees each connection by a finalizer.
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

  // The states are read before the files, so a file that changes during the read is read again.
  private void load() throws UnusableTls {
    loadedStates = FileState.of(options.files());
    use(TlsFiles.read(options).orElseThrow());
  }

  private void use(TlsFiles read) throws UnusableTls {
    SslContext before = current;
    current = TlsContext.of(provider, read);
    files = read;
    revocationsExpireAt = read.nextExpiryAfter(clock.instant()).orElse(Instant.MAX);
    ReferenceCountUtil.release(before);
  }

  /** Starts to watch the files. */
  public void watch(GatewayMetrics metrics) {
    report(metrics);
    long everyMs = options.reload().toMillis();
    watcher.scheduleWithFixedDelay(() -> reload(metrics), everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  /** Reloads changed files, and replaces the context when a revocation list has expired. */
  void reload(GatewayMetrics metrics) {
    if (problem != null || !FileState.of(options.files()).equals(loadedStates)) {
      read(metrics);
    }
    if (!clock.instant().isBefore(revocationsExpireAt)) {
      discardSessions();
    }
  }

  private void read(GatewayMetrics metrics) {
    try {
      load();
      problem = null;
      log.atInfo().addKeyValue("certificate-ends", files.certificateEnds()).log("tls.reloaded");
    } catch (UnusableTls | RuntimeException e) {
      onProblem(String.valueOf(e.getMessage()));
    } catch (OutOfMemoryError e) { // of a huge revocation list; must not end the watch thread
      onProblem(String.valueOf(e));
    }
    report(metrics);
  }

  // Clients that resume a TLS session are not checked. A new context has no sessions, so all
  // clients
  // are checked against the expired list and rejected.
  private void discardSessions() {
    try {
      use(files);
      log.atWarn().log("tls.crl-ended");
    } catch (UnusableTls | RuntimeException e) {
      onProblem(String.valueOf(e.getMessage()));
    }
  }

  private void onProblem(String what) {
    if (!what.equals(problem)) {
      log.atError().addKeyValue("cause", what).log("tls.reload-failed");
    }
    problem = what;
  }

  private void report(GatewayMetrics metrics) {
    metrics
        .tls()
        .onRead(
            files.certificateEnds().toEpochMilli(),
            files.revocationsEnd().map(Instant::toEpochMilli).orElse(0L));
    metrics.tls().onOutdated(problem != null);
  }

  /** Creates the engine of one connection, which references its context until it is closed. */
  SSLEngine newEngine(ByteBufAllocator allocator, Executor tasks) {
    SslContext context = retained();
    try {
      // The handler is not used. Its engine accepts several records per call, unlike that of
      // newEngine().
      return context.newHandler(allocator, tasks).engine();
    } finally {
      ReferenceCountUtil.release(context);
    }
  }

  /** Returns the context of new connections. */
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
          throw replaced; // this TLS is closed
        }
      }
    }
  }

  /** Returns the engine in use: openssl or jdk. */
  public String engine() {
    return provider == SslProvider.JDK ? "jdk" : "openssl";
  }

  /** Enables TLS for a server of this node. */
  public void secure(HttpServerOptions server, Listener listener) {
    server
        .setSsl(true)
        .setUseAlpn(true) // a client of WebSockets offers HTTP/1.1 only, or nothing
        .setSslHandshakeTimeout(0) // PendingHandshakes bounds its time
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

  /** Releases the engine's native memory. To be called after the last connection is closed. */
  @Override
  public void close() {
    watcher.shutdown();
    try {
      if (!watcher.awaitTermination(CLOSE_LIMIT_S, TimeUnit.SECONDS)) {
        log.atWarn().addKeyValue("part", "tls").log("node.stop-failed");
        return; // it may be blocked on a disk and still use the context
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    ReferenceCountUtil.release(current);
  }
}
