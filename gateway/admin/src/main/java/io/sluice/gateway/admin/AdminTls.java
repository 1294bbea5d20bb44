package io.sluice.gateway.admin;

import io.sluice.gateway.tls.FileState;
import io.sluice.gateway.tls.PemText;
import io.sluice.gateway.tls.TlsIdentity;
import io.sluice.gateway.tls.TlsSuites;
import io.sluice.gateway.tls.UnusableTls;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of the admin port, and the state of its files when they were last used. One thread at a time
 * may call it; it blocks only for the disk.
 */
final class AdminTls {
  private static final Logger log = LoggerFactory.getLogger(AdminTls.class);

  private final AdminOptions options;
  private final List<String> names;
  private List<FileState> used;
  private String failure;

  private AdminTls(AdminOptions options) {
    this.options = options;
    this.names = List.of(options.tls().certificate(), options.tls().key());
    this.used = FileState.of(names);
  }

  /** Returns the TLS of the port; null if it has none. */
  static AdminTls of(AdminOptions options) {
    return options.tls().certificate().isEmpty() ? null : new AdminTls(options);
  }

  /** Enables TLS with the current files, which were checked at the start. */
  void secure(HttpServerOptions options) {
    TlsSuites.refuseRenegotiation();
    TlsSuites.CIPHERS.forEach(options::addEnabledCipherSuite);
    options
        .setSsl(true)
        .setEnabledSecureTransportProtocols(TlsSuites.PROTOCOLS)
        .setSslHandshakeTimeout(0) // AdminConnections bounds its time
        .setKeyCertOptions(
            new PemKeyCertOptions().setCertPath(names.get(0)).setKeyPath(names.get(1)));
  }

  /**
   * Returns the contents of the files if they have changed since they were last used. Returns null
   * if not, or if they are unusable, which is logged.
   */
  synchronized Renewal renewal() {
    List<FileState> now = FileState.of(names);
    if (now.equals(used)) {
      return null;
    }
    try {
      return new Renewal(now, PemText.of(TlsIdentity.read(options.tls()).orElseThrow()));
    } catch (UnusableTls e) {
      onFailure(e.getMessage());
      return null;
    }
  }

  /**
   * Matching certificate and key.
   *
   * @param files state of the files before they were read
   */
  record Renewal(List<FileState> files, PemKeyCertOptions pair) {}

  synchronized void onUsed(Renewal renewal) {
    used = renewal.files();
    failure = null;
    log.atInfo().log("admin.tls-reloaded");
  }

  synchronized void onFailure(String cause) {
    if (!cause.equals(failure)) {
      log.atError().addKeyValue("cause", cause).log("admin.tls-reload-failed");
    }
    failure = cause;
  }
}
