package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys of the client port. Constants only. */
public final class ServerSettings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;

  public static final Setting<String> HOST =
      text("server.host", "0.0.0.0", "Listen address of the client port.");
  public static final Setting<Integer> PORT =
      integer("server.port", 8080, 0, 65535, "Port for clients; 0: any free port.");

  public static final Setting<String> TRANSPORT =
      choice(
          "server.transport",
          "auto",
          List.of("auto", "io-uring", "epoll", "nio"),
          "I/O of the event loops. auto uses the last of nio, epoll and io-uring that is"
              + " available.");

  /** Size of the kernel's send buffer per client connection, in bytes; 0: chosen by the kernel. */
  public static final Setting<Long> SEND_BUFFER = Setting.internal("server.send-buffer", 0L);

  public static final Setting<Integer> EVENT_LOOPS =
      integer("server.event-loops", 0, 0, 1024, "Number of event loops; 0: one per processor.");

  /** Time for which an event loop collects messages after a batch that reached 256 clients. */
  public static final Setting<Duration> BATCH_LINGER =
      Setting.internal("server.batch-linger", ofMillis(5));

  public static final Setting<Boolean> CLIENT_FILES =
      flag(
          "server.client-files",
          true,
          "Serve the JavaScript client to pages of any origin: /sluice.js, /sluice.global.js,"
              + " /sluice.json, /client/.");

  /** Names of the open protocols. */
  public static final String HTTP = "http";

  public static final String STOMP = "stomp";
  public static final String MQTT = "mqtt";

  public static final Setting<List<String>> PROTOCOLS =
      list(
          "server.protocols",
          List.of(HTTP, STOMP, MQTT),
          "Open protocols for clients besides Sluice's: http, stomp, mqtt. mqtt:1883 also opens"
              + " this port without WebSockets, with TLS if server.port has it.");
  public static final Setting<List<String>> ALLOWED_ORIGINS =
      list(
          "server.allowed-origins",
          List.of(),
          "Origins of pages that may connect, such as https://app.example.com, in addition to"
              + " those of the node's own host; *: any.");
  public static final Setting<List<String>> TRUSTED_PROXIES =
      list(
          "server.trusted-proxies",
          List.of(),
          "Addresses and ranges of proxies that report client addresses, such as 10.0.0.0/8 or"
              + " 2001:db8::/32.");
  public static final Setting<String> FORWARDED_HEADER =
      choice(
          "server.forwarded-header",
          "none",
          List.of("none", "x-forwarded-for", "forwarded"),
          "Header with the client's address, which server.trusted-proxies must set or append to"
              + " in every request.");
  public static final Setting<Boolean> PROXY_PROTOCOL =
      flag(
          "server.proxy-protocol",
          false,
          "Require each connection to come from server.trusted-proxies and to begin with a PROXY"
              + " protocol header, version 1 or 2, also before TLS.");
  public static final Setting<Duration> HSTS =
      duration(
          "server.hsts",
          ofMillis(0),
          ofMillis(0),
          ofDays(3650),
          "Time for which browsers must use TLS to this host (Strict-Transport-Security); 0s:"
              + " not sent.");
  public static final Setting<Boolean> COMPRESSION =
      flag(
          "server.compression",
          true,
          "Accept permessage-deflate, and send compressed frames to clients that accept them.");
  public static final Setting<Boolean> ECHO =
      flag("server.echo", false, "Serve /echo for WebSocket conformance suites.");

  /**
   * Lifetime of a stream, up to a tenth less at random, after which the client renews it (4101).
   */
  public static final Setting<Duration> STREAM_LIFETIME =
      Setting.internal("server.stream-lifetime", ofMinutes(5));

  public static final Setting<String> TLS_CERTIFICATE =
      text(
          "server.tls.certificate",
          "",
          "PEM file with the client port's certificate and its chain; if set, the port accepts"
              + " TLS 1.3 and 1.2 only.");
  public static final Setting<String> TLS_KEY =
      text(
          "server.tls.key", "", "PEM file with its private key: PKCS#8, RSA or EC, not encrypted.");
  public static final Setting<List<String>> TLS_CERTIFICATES =
      list(
          "server.tls.certificates",
          List.of(),
          "Further pairs, certificate.pem=key.pem, selected by server name (SNI).");

  /** Interval at which the files of TLS are checked for changes. */
  public static final Setting<Duration> TLS_RELOAD =
      Setting.internal("server.tls.reload", ofSeconds(10));

  public static final Setting<String> TLS_CLIENT_AUTH =
      choice(
          "server.tls.client-auth",
          "none",
          List.of("none", "optional", "required"),
          "Request of client certificates; required rejects clients without one. A presented"
              + " certificate is always verified.");
  public static final Setting<String> TLS_CLIENT_CA =
      text("server.tls.client-ca", "", "PEM file with the authorities of clients' certificates.");
  public static final Setting<String> TLS_CLIENT_CRL =
      text(
          "server.tls.client-crl",
          "",
          "PEM or DER file with the revocation lists of all these authorities; empty: revocation"
              + " is not checked.");

  /** TLS engine: auto (BoringSSL if its library loads, otherwise the JDK), openssl or jdk. */
  public static final Setting<String> TLS_ENGINE = Setting.internal("server.tls.engine", "auto");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          HOST,
          PORT,
          TRANSPORT,
          EVENT_LOOPS,
          CLIENT_FILES,
          PROTOCOLS,
          ALLOWED_ORIGINS,
          TRUSTED_PROXIES,
          FORWARDED_HEADER,
          PROXY_PROTOCOL,
          HSTS,
          COMPRESSION,
          ECHO,
          TLS_CERTIFICATE,
          TLS_KEY,
          TLS_CERTIFICATES,
          TLS_CLIENT_AUTH,
          TLS_CLIENT_CA,
          TLS_CLIENT_CRL);

  private ServerSettings() {}

  /** Returns the number of event loops of a node. */
  public static int eventLoops(Config config) {
    int configured = config.get(EVENT_LOOPS);
    return configured > 0 ? configured : Runtime.getRuntime().availableProcessors();
  }
}
