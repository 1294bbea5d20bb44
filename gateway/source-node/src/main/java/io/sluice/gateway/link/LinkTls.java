package io.sluice.gateway.link;

import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.File;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS of links: both nodes have a certificate, and each permits named peers. For any thread. */
final class LinkTls {
  private static final Logger log = LoggerFactory.getLogger(LinkTls.class);

  private static final long WATCH_MS = 10_000;

  /** Bytes of a frame besides one message. */
  private static final int FRAME_BYTES = 1 << 20;

  private static final int DNS_NAME = 2;

  private final LinkOptions options;
  private final boolean enabled;
  private List<Long> files;

  LinkTls(LinkOptions options) {
    this.options = options;
    this.enabled = !options.tls().certificate().isEmpty();
    this.files = times();
  }

  HttpServerOptions server() {
    HttpServerOptions server =
        new HttpServerOptions()
            .setWebSocketSubProtocols(List.of(LinkCodec.SUBPROTOCOL))
            .setMaxWebSocketFrameSize(maxFrame())
            .setMaxWebSocketMessageSize(maxFrame());
    if (enabled) {
      server
          .setSsl(true)
          .setKeyCertOptions(identity())
          .setTrustOptions(trust())
          .setClientAuth(ClientAuth.REQUIRED);
    }
    return server;
  }

  WebSocketClientOptions client() {
    WebSocketClientOptions client =
        new WebSocketClientOptions().setMaxFrameSize(maxFrame()).setMaxMessageSize(maxFrame());
    if (enabled) {
      client.setKeyCertOptions(identity()).setTrustOptions(trust());
    }
    return client;
  }

  private int maxFrame() {
    return (int) Math.min(Integer.MAX_VALUE, options.messageBytes() + FRAME_BYTES);
  }

  private PemKeyCertOptions identity() {
    return new PemKeyCertOptions()
        .setCertPath(options.tls().certificate())
        .setKeyPath(options.tls().key());
  }

  private PemTrustOptions trust() {
    return new PemTrustOptions().addCertPath(options.tls().trust());
  }

  /** Uses changed files for new connections; open ones continue. */
  void watch(Vertx vertx, HttpServer server, WebSocketClient client) {
    if (enabled) {
      vertx.setPeriodic(WATCH_MS, any -> reload(server, client));
    }
  }

  private void reload(HttpServer server, WebSocketClient client) {
    List<Long> now = times();
    if (now.equals(files)) {
      return;
    }
    files = now;
    ServerSSLOptions accepted = new ServerSSLOptions();
    accepted.setKeyCertOptions(identity()).setTrustOptions(trust());
    accepted.setClientAuth(ClientAuth.REQUIRED);
    ClientSSLOptions dialed = new ClientSSLOptions();
    dialed.setKeyCertOptions(identity()).setTrustOptions(trust());
    server
        .updateSSLOptions(accepted)
        .compose(any -> client.updateSSLOptions(dialed))
        .onSuccess(any -> log.atInfo().log("link.tls-reloaded"))
        .onFailure(e -> log.atError().addKeyValue("cause", e).log("link.tls-reload-failed"));
  }

  private List<Long> times() {
    return Stream.of(options.tls().certificate(), options.tls().key(), options.tls().trust())
        .map(name -> new File(name).lastModified())
        .toList();
  }

  /** Returns why a connection may not be a link, or null. */
  String problem(SSLSession session) {
    if (!enabled) {
      return null; // the address is that of the machine itself
    }
    List<String> names = names(session);
    return names.stream().anyMatch(options.peers()::contains)
        ? null
        : "links.peers does not contain " + String.join(" or ", names);
  }

  /** Returns the permitted name of the other node; empty without TLS. */
  String peer(SSLSession session) {
    return enabled
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
