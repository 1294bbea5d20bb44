package io.sluice.gateway.link;

import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.tls.FileState;
import io.sluice.gateway.tls.PemText;
import io.sluice.gateway.tls.TlsIdentity;
import io.sluice.gateway.tls.UnusableTls;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of links: both nodes have a certificate, and each permits named peers. It reads changed files
 * again, for new connections. For any thread.
 */
final class LinkTls {
  private static final Logger log = LoggerFactory.getLogger(LinkTls.class);

  /** Bytes of a frame besides one message. */
  private static final int FRAME_BYTES = 1 << 20;

  private static final int DNS_NAME = 2;

  private final LinkOptions options;
  private volatile Files files;

  /** Problem of changed files, which was logged; null without one. Guarded by this. */
  private String problem;

  /**
   * Contents of the files.
   *
   * @param states states of the files before they were read
   */
  record Files(List<FileState> states, PemKeyCertOptions identity, PemTrustOptions trust) {}

  /**
   * Reads the files, if TLS is configured.
   *
   * @throws UnusableTls if a file is unusable
   */
  LinkTls(LinkOptions options) throws UnusableTls {
    this.options = options;
    this.files = isEnabled() ? read(states()) : null;
  }

  boolean isEnabled() {
    return !options.tls().certificate().isEmpty();
  }

  private List<FileState> states() {
    return FileState.of(List.of(options.tls().certificate(), options.tls().key(), options.trust()));
  }

  private Files read(List<FileState> states) throws UnusableTls {
    return new Files(
        states,
        PemText.of(TlsIdentity.read(options.tls()).orElseThrow()),
        PemText.of(TlsIdentity.authorities(LinkSettings.TRUST, options.trust())));
  }

  /** Returns the contents for new connections; null without TLS. */
  Files files() {
    return files;
  }

  /**
   * Reads changed files again; unusable ones are logged, and the former contents stay in use.
   * Blocks for the disk.
   *
   * @return whether there are other contents
   */
  synchronized boolean reload() {
    List<FileState> now = states();
    if (now.equals(files.states())) {
      return false;
    }
    try {
      files = read(now);
      problem = null;
      return true;
    } catch (UnusableTls e) {
      if (!e.getMessage().equals(problem)) {
        onUnusable(e.getMessage());
      }
      problem = e.getMessage();
      return false;
    }
  }

  void onUnusable(String cause) {
    log.atError().addKeyValue("cause", cause).log("link.tls-reload-failed");
  }

  HttpServerOptions server() {
    HttpServerOptions server =
        new HttpServerOptions()
            .setWebSocketSubProtocols(List.of(LinkCodec.SUBPROTOCOL))
            .setMaxWebSocketFrameSize(maxFrame())
            .setMaxWebSocketMessageSize(maxFrame());
    if (isEnabled()) {
      server
          .setSsl(true)
          .setKeyCertOptions(files.identity())
          .setTrustOptions(files.trust())
          .setClientAuth(ClientAuth.REQUIRED);
    }
    return server;
  }

  /** Returns the part of {@link #server} that changes with the files. */
  ServerSSLOptions accepted() {
    ServerSSLOptions accepted = new ServerSSLOptions();
    accepted.setKeyCertOptions(files.identity()).setTrustOptions(files.trust());
    return accepted.setClientAuth(ClientAuth.REQUIRED);
  }

  /**
   * Returns the options of a client.
   *
   * @param used contents of the files; null without TLS
   */
  WebSocketClientOptions client(Files used) {
    WebSocketClientOptions client =
        new WebSocketClientOptions()
            .setConnectTimeout((int) Math.min(Integer.MAX_VALUE, options.timeoutMs()))
            .setMaxFrameSize(maxFrame())
            .setMaxMessageSize(maxFrame());
    if (used != null) {
      client.setKeyCertOptions(used.identity()).setTrustOptions(used.trust());
    }
    return client;
  }

  private int maxFrame() {
    return (int) Math.min(Integer.MAX_VALUE, options.messageBytes() + FRAME_BYTES);
  }

  /** Returns why a connection may not be a link, or null. */
  String problem(SSLSession session) {
    if (!isEnabled()) {
      return null; // the address is that of the machine itself
    }
    List<String> names = names(session);
    return names.stream().anyMatch(options.peers()::contains)
        ? null
        : "links.peers does not contain " + String.join(" or ", names);
  }

  /** Returns the permitted name of the other node; empty without TLS. */
  String peer(SSLSession session) {
    return isEnabled()
        ? names(session).stream().filter(options.peers()::contains).findFirst().orElse("")
        : "";
  }

  private static List<String> names(SSLSession session) {
    List<String> names = new ArrayList<>();
    try {
      X509Certificate certificate = (X509Certificate) session.getPeerCertificates()[0];
      for (Rdn each : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
        if (each.getType().equalsIgnoreCase("CN")) {
          names.add(each.getValue().toString());
        }
      }
      Collection<List<?>> others = certificate.getSubjectAlternativeNames();
      for (List<?> each : others == null ? List.<List<?>>of() : others) {
        if (each.get(0).equals(DNS_NAME)) {
          names.add(each.get(1).toString());
        }
      }
    } catch (SSLPeerUnverifiedException | InvalidNameException | CertificateParsingException e) {
      log.atDebug().setCause(e).log("a certificate has no name");
    }
    return names;
  }
}
