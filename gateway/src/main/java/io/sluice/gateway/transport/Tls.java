package io.sluice.gateway.transport;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.util.ReferenceCountUtil;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.config.TlsIdentity;
import io.sluice.gateway.config.UnusableTls;
import io.vertx.core.http.HttpServerOptions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of the port on which clients connect: certificate, protocols, ciphers and the engine that
 * encrypts. Immutable, for any thread.
 *
 * <p>The context is ours and not made by Vert.x, so that a connection can be known from its first
 * moment: Vert.x tells of one only when its TLS handshake is over.
 */
public final class Tls implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Tls.class);

  // Forward secrecy and authenticated encryption only: what every browser since 2016 speaks.
  private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");
  private static final List<String> CIPHERS =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  private final SslProvider provider;
  private final SslContext context;

  private Tls(SslProvider provider, SslContext context) {
    this.provider = provider;
    this.context = context;
  }

  /**
   * Reads the certificate and loads the engine.
   *
   * @return empty if the configuration names no certificate, so that clients connect in plain text
   */
  public static Optional<Tls> open(Config config) throws UnusableTls {
    Optional<TlsIdentity> identity = TlsIdentity.read(config);
    if (identity.isEmpty()) {
      return Optional.empty();
    }
    SslProvider provider = provider(config.get(Settings.SERVER_TLS_ENGINE));
    return Optional.of(new Tls(provider, context(provider, identity.get())));
  }

  // The kind that is released by hand: without it each connection would leave work to finalizers.
  private static SslProvider provider(String engine) throws UnusableTls {
    if (engine.equals("jdk")) {
      return SslProvider.JDK;
    }
    if (OpenSsl.isAvailable()) {
      return SslProvider.OPENSSL_REFCNT;
    }
    Throwable cause = OpenSsl.unavailabilityCause();
    if (engine.equals("openssl")) {
      String what = "the native library does not load on this machine: " + cause;
      throw new UnusableTls(Settings.SERVER_TLS_ENGINE, what, cause);
    }
    log.atWarn()
        .addKeyValue("wanted", "openssl")
        .addKeyValue("taken", "jdk")
        .setCause(cause)
        .log("tls.fallback");
    return SslProvider.JDK;
  }

  private static SslContext context(SslProvider provider, TlsIdentity identity) throws UnusableTls {
    try {
      return SslContextBuilder.forServer(identity.key(), identity.chain())
          .sslProvider(provider)
          .protocols(PROTOCOLS)
          .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
          .build();
    } catch (SSLException e) {
      String what = "the engine refuses it: " + e.getMessage();
      throw new UnusableTls(Settings.SERVER_TLS_CERTIFICATE, what, e);
    }
  }

  /** The engine in use: openssl or jdk. */
  public String engine() {
    return provider == SslProvider.JDK ? "jdk" : "openssl";
  }

  /** Lets a server of this node speak TLS. */
  void secure(HttpServerOptions options, ClientPorts node) {
    options
        .setSsl(true)
        .setUseAlpn(false) // the upgrade to a WebSocket is a matter of HTTP/1.1
        .setSslHandshakeTimeout(0) // PendingHandshakes ends those that are slow
        .setEnabledSecureTransportProtocols(PROTOCOLS)
        .setKeyCertOptions(new TlsEngine.Identity())
        .setSslEngineOptions(new TlsEngine(context, node));
  }

  /** Frees what the engine holds outside the heap, once the last connection is gone. */
  @Override
  public void close() {
    ReferenceCountUtil.release(context);
  }
}
