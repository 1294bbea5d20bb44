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

/** Configuration keys of the port on which clients connect. Constants only. */
public final class ServerSettings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;

  public static final Setting<String> HOST =
      text("server.host", "0.0.0.0", "Address on which clients connect.");
  public static final Setting<Integer> PORT =
      integer(
          "server.port", 8080, 0, 65535, "Port on which clients connect; 0 takes any free port.");

  /** Connections of a listening socket that may wait to be accepted. */
  public static final Setting<Integer> BACKLOG = Setting.internal("server.backlog", 65_535);

  public static final Setting<String> TRANSPORT =
      choice(
          "server.transport",
          "auto",
          List.of("auto", "io-uring", "epoll", "nio"),
          "How the node talks to the kernel: nio, epoll, or io-uring, which is epoll with batches of"
              + " sends by io_uring. auto takes the last of these that is there.");

  /** Bytes of the kernel's send buffer of a client's connection; 0: sized by the kernel. */
  public static final Setting<Long> SEND_BUFFER = Setting.internal("server.send-buffer", 0L);

  public static final Setting<Integer> EVENT_LOOPS =
      integer("server.event-loops", 0, 0, 1024, "Event loops; 0 means one per processor.");

  /** Time for which an event loop collects messages after a batch that reached 256 clients. */
  public static final Setting<Duration> BATCH_LINGER =
      Setting.internal("server.batch-linger", ofMillis(5));

  public static final Setting<List<String>> ALLOWED_ORIGINS =
      list(
          "server.allowed-origins",
          List.of(),
          "Origins of pages that may connect, such as https://app.example.com, besides those of the"
              + " node's own host; * allows any.");
  public static final Setting<List<String>> TRUSTED_PROXIES =
      list(
          "server.trusted-proxies",
          List.of(),
          "Addresses and ranges, such as 10.0.0.0/8 or 2001:db8::/32, of the proxies that are believed"
              + " when they say where a client comes from.");
  public static final Setting<String> FORWARDED_HEADER =
      choice(
          "server.forwarded-header",
          "none",
          List.of("none", "x-forwarded-for", "forwarded"),
          "Header in which server.trusted-proxies name the client; they must set it or add to it in"
              + " every request.");
  public static final Setting<Boolean> PROXY_PROTOCOL =
      flag(
          "server.proxy-protocol",
          false,
          "Every connection comes from server.trusted-proxies and begins with a header of the PROXY"
              + " protocol, version 1 or 2, also before TLS; all others are cut.");
  public static final Setting<Duration> HSTS =
      duration(
          "server.hsts",
          ofMillis(0),
          ofMillis(0),
          ofDays(3650),
          "How long browsers shall come to this host by TLS only, once they have been told"
              + " (Strict-Transport-Security); 0s: they aren't told.");
  public static final Setting<Boolean> COMPRESSION =
      flag("server.compression", true, "Accept permessage-deflate from clients that offer it.");
  public static final Setting<Boolean> ECHO =
      flag("server.echo", false, "Serve /echo for WebSocket conformance suites.");

  /** Lifetime of a stream, or up to a tenth less, after which the client renews it (4101). */
  public static final Setting<Duration> STREAM_LIFETIME =
      Setting.internal("server.stream-lifetime", ofMinutes(5));

  public static final Setting<String> TLS_CERTIFICATE =
      text(
          "server.tls.certificate",
          "",
          "PEM file with the certificate for clients to see, its chain behind it; with it clients"
              + " connect by TLS 1.3 or 1.2 only.");
  public static final Setting<String> TLS_KEY =
      text(
          "server.tls.key",
          "",
          "PEM file with the certificate's private key: PKCS#8, RSA or EC, not encrypted.");
  public static final Setting<List<String>> TLS_CERTIFICATES =
      list(
          "server.tls.certificates",
          List.of(),
          "Further pairs of such files, certificate.pem=key.pem, for clients that name one of the"
              + " certificate's hosts; all others get server.tls.certificate.");

  /** Interval at which the files of server.tls are compared. */
  public static final Setting<Duration> TLS_RELOAD =
      Setting.internal("server.tls.reload", ofSeconds(10));

  public static final Setting<String> TLS_CLIENT_AUTH =
      choice(
          "server.tls.client-auth",
          "none",
          List.of("none", "optional", "required"),
          "Whether clients are asked for a certificate, and refused without; one that is shown is"
              + " checked in any case.");
  public static final Setting<String> TLS_CLIENT_CA =
      text(
          "server.tls.client-ca",
          "",
          "PEM file with the certificates of the authorities that clients' certificates are from.");
  public static final Setting<String> TLS_CLIENT_CRL =
      text(
          "server.tls.client-crl",
          "",
          "PEM or DER file with the revocation lists of all these authorities; empty: revocation is"
              + " not checked.");

  /** TLS engine: auto (BoringSSL where its library loads, otherwise the JDK), openssl or jdk. */
  public static final Setting<String> TLS_ENGINE = Setting.internal("server.tls.engine", "auto");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          HOST,
          PORT,
          TRANSPORT,
          EVENT_LOOPS,
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
}
