package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.bytes;
import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.map;
import static io.sluice.gateway.config.Setting.rules;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Every configuration key of the gateway, with its default, bounds and meaning. Constants only. */
public final class Settings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;

  /** All that sign with one key and verify with another; those with one secret key never count. */
  static final List<String> JWT_ALGORITHMS =
      List.of(
          "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA");

  public static final Setting<String> NODE_NAME =
      text("node.name", "", "Name of this node in hello, logs and metrics; empty: the host name.");

  public static final Setting<Duration> NODE_PAUSE_THRESHOLD =
      duration(
          "node.pause-threshold",
          ofSeconds(1),
          ofMillis(100),
          ofHours(1),
          "The shortest pause of the whole process that is logged (process.paused) and counted.");
  public static final Setting<String> SERVER_HOST =
      text("server.host", "0.0.0.0", "Address on which clients connect.");
  public static final Setting<Integer> SERVER_PORT =
      integer(
          "server.port", 8080, 0, 65535, "Port on which clients connect; 0 takes any free port.");
  public static final Setting<Integer> SERVER_BACKLOG =
      integer(
          "server.backlog", 4096, 1, 65535, "Connections that may wait to be accepted, a socket.");
  public static final Setting<String> SERVER_TRANSPORT =
      choice(
          "server.transport",
          "auto",
          List.of("auto", "io-uring", "epoll", "nio"),
          "How the node talks to the kernel: nio, epoll, or io-uring, which is epoll with batches of"
              + " sends by io_uring. auto takes the last of these that is there.");
  public static final Setting<Long> SERVER_SEND_BUFFER =
      bytes(
          "server.send-buffer",
          0,
          0,
          1024 * MIB,
          "The kernel's send buffer of a client's connection; 0 leaves it to the kernel, which sizes"
              + " it as needed.");
  public static final Setting<Integer> SERVER_EVENT_LOOPS =
      integer("server.event-loops", 0, 0, 1024, "Event loops; 0 means one per processor.");
  public static final Setting<Duration> SERVER_BATCH_LINGER =
      duration(
          "server.batch-linger",
          ofMillis(5),
          Duration.ZERO,
          ofMillis(100),
          "Time for which an event loop collects messages after a batch that reached at least 256"
              + " clients, so that messages to the same client share a write; 0s for none.");
  public static final Setting<List<String>> SERVER_ALLOWED_ORIGINS =
      list(
          "server.allowed-origins",
          List.of("*"),
          "Origins that browsers may connect from, such as https://app.example.com; * allows any.");
  public static final Setting<List<String>> SERVER_TRUSTED_PROXIES =
      list(
          "server.trusted-proxies",
          List.of(),
          "Addresses and ranges, such as 10.0.0.0/8 or 2001:db8::/32, of the proxies that are believed"
              + " when they say where a client comes from.");
  public static final Setting<String> SERVER_FORWARDED_HEADER =
      choice(
          "server.forwarded-header",
          "none",
          List.of("none", "x-forwarded-for", "forwarded"),
          "Header in which server.trusted-proxies name the client; they must set it or add to it in"
              + " every request.");
  public static final Setting<Boolean> SERVER_PROXY_PROTOCOL =
      flag(
          "server.proxy-protocol",
          false,
          "Every connection comes from server.trusted-proxies and begins with a header of the PROXY"
              + " protocol, version 1 or 2, also before TLS; all others are cut.");
  public static final Setting<Duration> SERVER_HSTS =
      duration(
          "server.hsts",
          ofMillis(0),
          ofMillis(0),
          ofDays(3650),
          "How long browsers shall come to this host by TLS only, once they have been told"
              + " (Strict-Transport-Security); 0s: they aren't told.");
  public static final Setting<Boolean> SERVER_COMPRESSION =
      flag("server.compression", true, "Accept permessage-deflate from clients that offer it.");
  public static final Setting<Boolean> SERVER_ECHO =
      flag("server.echo", false, "Serve /echo for WebSocket conformance suites.");
  public static final Setting<Duration> SERVER_STREAM_LIFETIME =
      duration(
          "server.stream-lifetime",
          ofMinutes(5),
          ofSeconds(1),
          ofHours(24),
          "How long a stream over plain HTTP lasts, or up to a tenth less, before the client has to"
              + " ask for the next one (4101).");
  public static final Setting<String> SERVER_TLS_CERTIFICATE =
      text(
          "server.tls.certificate",
          "",
          "PEM file with the certificate for clients to see, its chain behind it; with it clients"
              + " connect by TLS 1.3 or 1.2 only.");
  public static final Setting<String> SERVER_TLS_KEY =
      text(
          "server.tls.key",
          "",
          "PEM file with the certificate's private key: PKCS#8, RSA or EC, not encrypted.");
  public static final Setting<List<String>> SERVER_TLS_CERTIFICATES =
      list(
          "server.tls.certificates",
          List.of(),
          "Further pairs of such files, certificate.pem=key.pem, for clients that name one of the"
              + " certificate's hosts; all others get server.tls.certificate.");
  public static final Setting<List<String>> SERVER_TLS_OCSP_RESPONSES =
      list(
          "server.tls.ocsp-responses",
          List.of(),
          "DER files with OCSP responses for the node's certificates, which clients that ask are"
              + " given with them; needs BoringSSL.");
  public static final Setting<Duration> SERVER_TLS_RELOAD =
      duration(
          "server.tls.reload",
          ofSeconds(10),
          ofMillis(10),
          ofHours(24),
          "How often the node looks whether files of server.tls have changed; if so, new"
              + " connections get what they hold now.");
  public static final Setting<String> SERVER_TLS_CLIENT_AUTH =
      choice(
          "server.tls.client-auth",
          "none",
          List.of("none", "optional", "required"),
          "Whether clients are asked for a certificate, and refused without; one that is shown is"
              + " checked in any case.");
  public static final Setting<String> SERVER_TLS_CLIENT_CA =
      text(
          "server.tls.client-ca",
          "",
          "PEM file with the certificates of the authorities that clients' certificates are from.");
  public static final Setting<String> SERVER_TLS_CLIENT_CRL =
      text(
          "server.tls.client-crl",
          "",
          "PEM or DER file with the revocation lists of all these authorities; empty: revocation is"
              + " not checked.");
  public static final Setting<String> SERVER_TLS_ENGINE =
      choice(
          "server.tls.engine",
          "auto",
          List.of("auto", "openssl", "jdk"),
          "What encrypts; auto takes the BoringSSL that comes with the node where it loads,"
              + " otherwise the JDK.");

  public static final Setting<Boolean> AUTH_ANONYMOUS =
      flag("auth.anonymous", false, "Let clients in that show no credential.");
  public static final Setting<Duration> AUTH_TIMEOUT =
      duration(
          "auth.timeout",
          ofSeconds(5),
          ofMillis(100),
          ofMinutes(5),
          "How long the check of a credential may take; after it the client is closed with 4002 and"
              + " may come again.");
  public static final Setting<String> AUTH_COOKIE =
      text("auth.cookie", "", "Cookie that holds a browser's token; empty: none is looked at.");
  public static final Setting<String> AUTH_QUERY_PARAMETER =
      text(
          "auth.query-parameter",
          "",
          "Parameter of the URL that holds a token; empty: none is looked at, because URLs end up in"
              + " the logs of proxies.");
  public static final Setting<Duration> AUTH_REVOCATION_MEMORY =
      duration(
          "auth.revocation-memory",
          ofHours(24),
          ofSeconds(1),
          ofDays(366),
          "How long the node remembers what an operator has withdrawn; at least as long as"
              + " credentials last.");

  public static final Setting<String> AUTH_CERTIFICATE_NAME =
      choice(
          "auth.certificate.name",
          "cn",
          List.of("subject", "cn", "email", "dns", "uri"),
          "What of a client's certificate is the client's name: the whole subject, its CN, or the"
              + " first alternative name of a kind.");
  public static final Setting<Long> AUTH_TOKEN_BYTES =
      bytes(
          "auth.token-bytes", 16 * KIB, 256, MIB, "The longest token or ticket that is looked at.");
  public static final Setting<Integer> AUTH_THREADS =
      integer("auth.threads", 2, 1, 64, "Threads that check tokens and tickets.");
  public static final Setting<Integer> AUTH_QUEUE =
      integer(
          "auth.queue",
          10_000,
          1,
          1_000_000,
          "Tokens and tickets whose check may be under way or waiting; the client of one more is"
              + " closed with 4002 and may come again.");
  public static final Setting<Duration> AUTH_HTTP_TIMEOUT =
      duration(
          "auth.http-timeout",
          ofSeconds(4),
          ofMillis(50),
          ofMinutes(5),
          "How long a request to the issuer of tokens may take.");
  public static final Setting<Long> AUTH_HTTP_BYTES =
      bytes("auth.http-bytes", MIB, KIB, 64 * MIB, "The longest answer of an issuer that is read.");
  public static final Setting<Boolean> AUTH_ALLOW_PLAIN_HTTP =
      flag(
          "auth.allow-plain-http",
          false,
          "Ask issuers on other machines by http, too: whoever is on the way can then let anybody"
              + " in.");
  public static final Setting<String> AUTH_TRUST =
      text(
          "auth.trust",
          "",
          "PEM file with certificates of authorities to trust when an issuer is asked by https,"
              + " beside those of the JDK.");
  public static final Setting<List<String>> AUTH_JWT_KEYS =
      list(
          "auth.jwt.keys",
          List.of(),
          "Files with the public keys of JWTs: PEM keys, PEM certificates or a JWKS; of a folder, all"
              + " files in it.");
  public static final Setting<Duration> AUTH_JWT_KEYS_POLL =
      duration(
          "auth.jwt.keys-poll",
          ofSeconds(5),
          ofMillis(50),
          ofHours(1),
          "How often these files are looked at for changes.");
  public static final Setting<String> AUTH_JWT_JWKS_URL =
      text("auth.jwt.jwks-url", "", "URL of the issuer's JWKS, the set of its public keys.");
  public static final Setting<Boolean> AUTH_JWT_DISCOVERY =
      flag(
          "auth.jwt.discovery",
          false,
          "Find the JWKS by OpenID Connect discovery below the URL auth.jwt.issuer.");
  public static final Setting<Duration> AUTH_JWT_REFRESH =
      duration(
          "auth.jwt.refresh",
          ofMinutes(10),
          ofMillis(100),
          ofHours(24),
          "How often the JWKS is fetched; a key that the issuer takes out is refused from then on.");
  public static final Setting<Duration> AUTH_JWT_REFRESH_MIN =
      duration(
          "auth.jwt.refresh-min",
          ofSeconds(10),
          ofMillis(50),
          ofHours(1),
          "A token of an unknown key has the JWKS fetched at once, but not sooner than this after the"
              + " last time.");
  public static final Setting<String> AUTH_JWT_ISSUER =
      text(
          "auth.jwt.issuer",
          "",
          "Issuer that a JWT has to name (iss), letter for letter; empty: any.");
  public static final Setting<List<String>> AUTH_JWT_AUDIENCE =
      list(
          "auth.jwt.audience",
          List.of(),
          "Audiences (aud) of which a JWT has to name one; empty: any, so that tokens for the"
              + " issuer's other services are taken, too.");
  public static final Setting<List<String>> AUTH_JWT_ALGORITHMS =
      list("auth.jwt.algorithms", JWT_ALGORITHMS, "Algorithms by which a JWT may be signed.");
  public static final Setting<Boolean> AUTH_JWT_REQUIRE_EXPIRY =
      flag("auth.jwt.require-expiry", true, "Refuse JWTs that never end (no exp).");
  public static final Setting<Duration> AUTH_JWT_CLOCK_SKEW =
      duration(
          "auth.jwt.clock-skew",
          ofSeconds(30),
          ofMillis(0),
          ofMinutes(10),
          "By how much the issuer's clock may be ahead, for nbf and iat; a token's end holds by the"
              + " node's clock.");
  public static final Setting<String> AUTH_JWT_SUBJECT_CLAIM =
      text(
          "auth.jwt.subject-claim",
          "sub",
          "Claim that holds the client's name, of a JWT or of an introspection's answer.");
  public static final Setting<String> AUTH_INTROSPECTION_URL =
      text(
          "auth.introspection.url",
          "",
          "URL at which the issuer tells about a token (RFC 7662): about tokens that are no JWT, or"
              + " about all if no keys of JWTs are configured.");
  public static final Setting<String> AUTH_INTROSPECTION_CLIENT_ID =
      text("auth.introspection.client-id", "", "Name of this node at the issuer.");
  public static final Setting<String> AUTH_INTROSPECTION_CLIENT_SECRET =
      text("auth.introspection.client-secret", "", "Its secret there.");
  public static final Setting<Duration> AUTH_INTROSPECTION_CACHE =
      duration(
          "auth.introspection.cache",
          ofSeconds(30),
          ofMillis(0),
          ofHours(1),
          "How long an answer holds, unless the token ends before; as much later a withdrawn token"
              + " is refused.");
  public static final Setting<Duration> AUTH_INTROSPECTION_CACHE_REFUSED =
      duration(
          "auth.introspection.cache-refused",
          ofSeconds(5),
          ofMillis(0),
          ofHours(1),
          "How long the answer holds that a token is not valid.");
  public static final Setting<Integer> AUTH_INTROSPECTION_CACHE_ENTRIES =
      integer(
          "auth.introspection.cache-entries",
          10_000,
          1,
          10_000_000,
          "Answers of either kind that are kept.");
  public static final Setting<Integer> AUTH_INTROSPECTION_IN_FLIGHT =
      integer(
          "auth.introspection.in-flight",
          100,
          1,
          100_000,
          "Requests to the issuer at one time; the client of one more is closed with 4002 and may"
              + " come again.");

  public static final Setting<String> AUTH_KERBEROS_KEYTAB =
      text(
          "auth.kerberos.keytab",
          "",
          "File with the keys of this service at the Kerberos KDC; it is read again after a change."
              + " Empty: no tickets are taken.");
  public static final Setting<List<String>> AUTH_KERBEROS_PRINCIPAL =
      list(
          "auth.kerberos.principal",
          List.of(),
          "Names of this service whose keys count, with their realm, such as"
              + " HTTP/gw.example.com@EXAMPLE.COM; * alone: all that the keytab has.");
  public static final Setting<List<String>> AUTH_KERBEROS_REALMS =
      list(
          "auth.kerberos.realms",
          List.of(),
          "Realms whose clients are taken; empty: those of auth.kerberos.principal.");
  public static final Setting<String> AUTH_KERBEROS_LOCAL_REALM =
      text(
          "auth.kerberos.local-realm",
          "",
          "Realm whose clients are named without it: alice instead of alice@EXAMPLE.COM; empty:"
              + " none is.");
  public static final Setting<Boolean> AUTH_KERBEROS_LOWER_CASE =
      flag(
          "auth.kerberos.lower-case",
          false,
          "Turn clients' names to lower case, for a KDC that takes them in any (Active Directory):"
              + " Alice is alice for permissions, limits and revocations. Realms stay as they are.");
  public static final Setting<String> AUTH_KERBEROS_CHALLENGE =
      choice(
          "auth.kerberos.challenge",
          "auto",
          List.of("auto", "always", "never"),
          "Who is asked for a ticket (401) that shows no credential with its handshake: everybody,"
              + " nobody, or (auto) everybody if there is no other way in, otherwise those whose URL"
              + " has auth=negotiate.");
  public static final Setting<Duration> AUTH_KERBEROS_SESSION =
      duration(
          "auth.kerberos.session",
          ofHours(1),
          ofSeconds(1),
          ofDays(7),
          "How long a session by a ticket lasts, or up to a tenth less; it is closed with 4201 then"
              + " and may come again with a fresh ticket.");

  public static final Setting<List<PermissionRule>> PERMISSIONS_RULES =
      rules(
          "permissions.rules",
          "Who may subscribe and publish to what, beyond subscribe.topics and publish.topics, which"
              + " hold for everybody; see SECURITY.md. Without rules and permissions.claim: whoever"
              + " gets in may use all that the node serves.");
  public static final Setting<String> PERMISSIONS_CLAIM =
      text(
          "permissions.claim",
          "",
          "Claim of the credential that holds patterns of its own, {\"subscribe\": […],"
              + " \"publish\": […]}, which come on top of the rules'; empty: none is looked at.");

  public static final Setting<String> AUDIT_FILE =
      text(
          "audit.file",
          "",
          "File to which the audit log is appended, one JSON object a line; - for standard output,"
              + " empty: none is kept.");
  public static final Setting<List<String>> AUDIT_EVENTS =
      list(
          "audit.events",
          List.of(
              "connected",
              "refreshed",
              "disconnected",
              "refused",
              "revoked",
              "restored",
              "commanded",
              "admin-refused"),
          "What is kept; subscribed and published as well, if named.");
  public static final Setting<Integer> AUDIT_RATE =
      integer(
          "audit.rate",
          1000,
          1,
          1_000_000,
          "Lines a second that are written, what operators do aside; how many are missing is told in"
              + " the next.");
  public static final Setting<Integer> AUDIT_QUEUE =
      integer(
          "audit.queue",
          8192,
          16,
          1_000_000,
          "Events of clients that may wait for the disk, and as many of operators; what comes then is"
              + " left out, and told like that.");

  public static final Setting<String> ADMIN_HOST =
      text(
          "admin.host",
          "127.0.0.1",
          "Address of the admin port: health, metrics and commands. Any but a loopback address needs"
              + " admin.token, admin.token-file or admin.metrics-open.");
  public static final Setting<Integer> ADMIN_PORT =
      integer("admin.port", 9090, 0, 65535, "Port of the admin server; 0 takes any free port.");
  public static final Setting<String> ADMIN_TOKEN =
      text(
          "admin.token",
          "",
          "Bearer token that the admin port asks for, at least 16 characters; empty: none but those"
              + " of admin.token-file.");
  public static final Setting<String> ADMIN_TOKEN_FILE =
      text(
          "admin.token-file",
          "",
          "File of such tokens, one a line, each of which is accepted; read again when it changes.");
  public static final Setting<Boolean> ADMIN_METRICS_OPEN =
      flag("admin.metrics-open", false, "Show the metrics to whoever reaches the admin port.");
  public static final Setting<String> ADMIN_TLS_CERTIFICATE =
      text(
          "admin.tls.certificate",
          "",
          "PEM file with the admin port's certificate, its chain behind it; with it the port speaks"
              + " TLS only.");
  public static final Setting<String> ADMIN_TLS_KEY =
      text("admin.tls.key", "", "PEM file with its private key, as server.tls.key.");

  public static final Setting<String> BROKER_URL =
      text("broker.url", null, "URL of the broker, in the form that its JMS client takes.");
  public static final Setting<String> BROKER_PROVIDER =
      choice(
          "broker.provider",
          "artemis",
          List.of("artemis", "classic", "factory", "jndi"),
          "JMS client: Artemis, ActiveMQ Classic, a ConnectionFactory class, or a JNDI lookup.");
  public static final Setting<String> BROKER_USER =
      text("broker.user", "", "User name for the broker; empty: none.");
  public static final Setting<String> BROKER_PASSWORD =
      text("broker.password", "", "Password for the broker.");
  public static final Setting<String> BROKER_USER_FILE =
      text(
          "broker.user-file",
          "",
          "File whose one line is the user name for the broker, read at each connect.");
  public static final Setting<String> BROKER_PASSWORD_FILE =
      text(
          "broker.password-file",
          "",
          "File whose one line is the password for the broker, read at each connect.");
  public static final Setting<String> BROKER_CLIENT_ID =
      text("broker.client-id", "", "JMS client id of the connection; empty: none is set.");
  public static final Setting<String> BROKER_SITE =
      text(
          "broker.site",
          "",
          "Name of the brokers whose messages are the same, where clients may come from nodes of"
              + " others, such as a second site: they are told that they may have missed something."
              + " Empty: there are no others.");
  public static final Setting<Integer> BROKER_CONNECTIONS =
      integer(
          "broker.connections",
          1,
          1,
          256,
          "Connections to the broker; topics are spread over them.");
  public static final Setting<Duration> BROKER_CONNECT_TIMEOUT =
      duration(
          "broker.connect-timeout",
          ofSeconds(2),
          ofMillis(100),
          ofMinutes(5),
          "With provider artemis: how long one broker of the URL may take to accept a connection and"
              + " to send its topology; then the attempt has failed.");
  public static final Setting<Integer> BROKER_OPEN_PARALLELISM =
      integer(
          "broker.open-parallelism",
          32,
          1,
          1024,
          "Consumers that the node opens at a time, and as many that it closes, each on a thread"
              + " that waits for the broker.");
  public static final Setting<Integer> BROKER_CONSUMERS_PER_SESSION =
      integer(
          "broker.consumers-per-session",
          100,
          1,
          10_000,
          "With provider artemis and broker.acknowledge dups-ok: consumers that share a JMS session."
              + " Artemis creates the sessions of a connection one after the other.");
  public static final Setting<Duration> BROKER_OPEN_TIMEOUT =
      duration(
          "broker.open-timeout",
          ofSeconds(30),
          ofMillis(100),
          ofMinutes(10),
          "How long opening one consumer may take. Then its topic is refused if the broker still"
              + " answers; otherwise the connection is considered lost.");
  public static final Setting<String> BROKER_ACKNOWLEDGE =
      choice(
          "broker.acknowledge",
          "dups-ok",
          List.of("dups-ok", "auto"),
          "JMS acknowledge mode of the consumers.");
  public static final Setting<Duration> BROKER_LINGER =
      duration(
          "broker.linger",
          ofSeconds(10),
          ofMillis(0),
          ofHours(24),
          "How long a topic's consumer stays after its last subscriber has left.");
  public static final Setting<Duration> BROKER_RECONNECT_MIN =
      duration(
          "broker.reconnect-min",
          ofMillis(200),
          ofMillis(1),
          ofMinutes(10),
          "Upper bound of the first wait before a reconnect; it doubles with each failure.");
  public static final Setting<Duration> BROKER_RECONNECT_MAX =
      duration(
          "broker.reconnect-max",
          ofSeconds(10),
          ofMillis(1),
          ofHours(1),
          "Upper bound of any wait before a reconnect; the wait is random between 0 and the bound.");
  public static final Setting<Duration> BROKER_CANARY_INTERVAL =
      duration(
          "broker.canary.interval",
          ofSeconds(2),
          ofMillis(0),
          ofHours(1),
          "How often the node sends itself a message over each connection to the broker, so that it"
              + " knows that the broker still delivers; 0s: never, and a broker that falls silent"
              + " is not noticed.");
  public static final Setting<Duration> BROKER_CANARY_PATIENCE =
      duration(
          "broker.canary.patience",
          ofSeconds(15),
          ofMillis(200),
          ofHours(3),
          "After this long without such a message coming back, the broker is taken for lost; twice"
              + " the interval at least.");
  public static final Setting<Duration> BROKER_CONGESTION_HOLD =
      duration(
          "broker.congestion-hold",
          ofSeconds(10),
          Duration.ZERO,
          ofHours(1),
          "Time for which a connection counts as congested after a message was late by more than"
              + " resume.spread: a topic then needs a newer message for a proof of delivery. A"
              + " message that the broker has not numbered excludes its topic for as long.");
  public static final Setting<String> BROKER_CANARY_PREFIX =
      text(
          "broker.canary.prefix",
          "sluice.canary",
          "First levels of the topics of these messages, the same for all nodes of a broker; clients"
              + " can neither subscribe nor publish below it.");
  public static final Setting<List<String>> BROKER_FORWARD_PROPERTIES =
      list(
          "broker.forward-properties",
          List.of(),
          "JMS properties that travel with a message to the clients.");
  public static final Setting<List<String>> BROKER_DURABLE =
      list(
          "broker.durable",
          List.of(),
          "Patterns of topics that the broker keeps for this node while it is away, as durable"
              + " subscriptions of broker.client-id; they and their topics survive restarts of node"
              + " and broker without a gap. Like history.warm otherwise; needs journal.folder.");
  public static final Setting<Map<String, String>> BROKER_WILDCARDS =
      map(
          "broker.wildcards",
          "How provider factory or jndi spells wildcards: keys level, rest and separator. Levels of"
              + " topics can have none of their characters.");
  public static final Setting<String> BROKER_FACTORY_CLASS =
      text(
          "broker.factory.class",
          "",
          "Provider factory: the class of the ConnectionFactory, with a public constructor that"
              + " takes no argument.");
  public static final Setting<Map<String, String>> BROKER_FACTORY_PROPERTIES =
      map(
          "broker.factory.properties",
          "Provider factory: bean properties to set on the ConnectionFactory.");
  public static final Setting<String> BROKER_JNDI_CONNECTION_FACTORY =
      text(
          "broker.jndi.connection-factory",
          "ConnectionFactory",
          "Provider jndi: the name of the ConnectionFactory.");
  public static final Setting<Map<String, String>> BROKER_JNDI_ENVIRONMENT =
      map(
          "broker.jndi.environment",
          "Provider jndi: the environment of the InitialContext, such as"
              + " java.naming.factory.initial.");
  public static final Setting<String> BROKER_JARS =
      text(
          "broker.jars",
          "",
          "Folder with the jars of provider factory or jndi; empty: the class path.");
  public static final Setting<Integer> BROKER_PUBLISH_QUEUE =
      integer(
          "broker.publish-queue",
          10_000,
          1,
          10_000_000,
          "Publishes of all clients that may wait for the broker; past it a publish is refused.");

  public static final Setting<Long> BROKER_PUBLISH_QUEUE_BYTES =
      bytes(
          "broker.publish-queue-bytes",
          64 * MIB,
          MIB,
          1024 * MIB,
          "Bytes of the publishes that may wait for the broker, properties counted, each with 96 more;"
              + " past it as above.");

  public static final Setting<String> BROKER_PUBLISH_MODE =
      choice(
          "broker.publish-mode",
          "auto",
          List.of("auto", "async", "batch"),
          "How publishes are sent: async confirms them by the JMS client's completion listener, batch"
              + " commits those that wait in one transaction. auto: async for artemis and classic,"
              + " otherwise batch. With providers factory and jndi choose async only if the client"
              + " calls the listener after the broker's confirmation (Artemis' client needs"
              + " confirmationWindowSize in its URL).");
  public static final Setting<Integer> BROKER_PUBLISH_SESSIONS =
      integer(
          "broker.publish-sessions",
          4,
          1,
          64,
          "JMS sessions that send publishes, each on a thread; a client's publishes use one of them,"
              + " so that their order is kept.");
  public static final Setting<Integer> BROKER_PUBLISH_IN_FLIGHT =
      integer(
          "broker.publish-in-flight",
          500,
          1,
          1_000_000,
          "Publishes that are sent and not confirmed by the broker yet, shared equally by"
              + " broker.publish-sessions; past it publishes wait in broker.publish-queue.");
  public static final Setting<Long> BROKER_PUBLISH_IN_FLIGHT_BYTES =
      bytes(
          "broker.publish-in-flight-bytes",
          16 * MIB,
          KIB,
          1024 * MIB,
          "The same in bytes; a publish that is larger than a session's part is sent alone.");
  public static final Setting<Integer> BROKER_PUBLISH_DESTINATIONS =
      integer(
          "broker.publish-destinations",
          1_000,
          1,
          1_000_000,
          "Topics that each publishing session remembers; with Artemis the first publish to another"
              + " topic costs two round trips.");
  public static final Setting<Duration> BROKER_PUBLISH_TIMEOUT =
      duration(
          "broker.publish-timeout",
          ofSeconds(30),
          ofMillis(100),
          ofMinutes(10),
          "Time within which the broker has to confirm a publish; after it the publish is answered"
              + " with publish-failed, and its session is replaced. A publish that has waited as"
              + " long before it could be sent is answered with broker-unavailable.");

  public static final Setting<List<String>> SUBSCRIBE_TOPICS =
      list(
          "subscribe.topics",
          List.of(">"),
          "Patterns of the topics that clients may subscribe to.");
  public static final Setting<List<String>> PUBLISH_TOPICS =
      list("publish.topics", List.of(">"), "Patterns of the topics that clients may publish to.");
  public static final Setting<Boolean> PUBLISH_PERSISTENT =
      flag("publish.persistent", true, "Publish with the JMS delivery mode PERSISTENT.");

  public static final Setting<Integer> HISTORY_MESSAGES =
      integer(
          "history.messages",
          1_000,
          0,
          10_000_000,
          "Messages that the node keeps of each topic or pattern in use, for clients that come back"
              + " and for snapshots; 0 keeps none.");
  public static final Setting<Long> HISTORY_BYTES =
      bytes("history.bytes", MIB, KIB, 1024 * MIB, "The same in bytes of memory.");
  public static final Setting<Duration> HISTORY_AGE =
      duration(
          "history.age",
          ofMinutes(5),
          ofMillis(100),
          ofDays(7),
          "How old a message in a log may get; the newest of each topic stays for snapshots.");
  public static final Setting<Long> HISTORY_MEMORY =
      bytes(
          "history.memory",
          64 * MIB,
          MIB,
          1024 * 1024 * MIB,
          "Bytes of memory of all logs together. Past it, a log over an equal share discards its"
              + " oldest messages, or the oldest of those that it keeps for snapshots alone if these"
              + " take more.");
  public static final Setting<Long> HISTORY_FRAMES =
      bytes(
          "history.frames",
          32 * MIB,
          0,
          1024 * 1024 * MIB,
          "Bytes of direct memory for encoded frames of recent messages, which replays use again;"
              + " frames of messages that still wait for an event loop count. 0 keeps none.");
  public static final Setting<Integer> HISTORY_KEYS =
      integer(
          "history.keys",
          10_000,
          1,
          10_000_000,
          "Topics or keys of one topic or pattern whose newest message is kept for snapshots; any more"
              + " are left out of them, and counted. No more may wait for a subscription with latest"
              + " or rate, either.");
  public static final Setting<List<String>> HISTORY_KEY_PROPERTIES =
      list(
          "history.key-properties",
          List.of(),
          "JMS properties that tell the keys of topics apart, as pattern=property: a snapshot has the"
              + " newest message of each key then.");
  public static final Setting<List<String>> HISTORY_WARM =
      list(
          "history.warm",
          List.of(),
          "Patterns of topics that the node subscribes to by itself, so that their logs are there"
              + " before the first client; their topics are served from this one consumer.");
  public static final Setting<Duration> HISTORY_WARM_RETRY =
      duration(
          "history.warm-retry",
          ofMinutes(1),
          ofMillis(100),
          ofHours(24),
          "Upper bound of any wait before a pattern of history.warm that the broker refused is opened"
              + " again. The bound starts at 1s and doubles with each refusal; the wait is random"
              + " between 0 and the bound.");
  public static final Setting<String> JOURNAL_FOLDER =
      text(
          "journal.folder",
          "",
          "Folder on a local disk in which the node keeps the logs of broker.durable over a"
              + " restart; of one node alone. It is created where it is missing.");
  public static final Setting<Long> JOURNAL_BYTES =
      bytes(
          "journal.bytes",
          1024 * MIB,
          MIB,
          1024 * 1024 * MIB,
          "Bytes of all files in it from which on the largest logs give up their oldest messages."
              + " Each log keeps to history.messages, history.bytes and history.age as well.");
  public static final Setting<Duration> RESUME_SPREAD =
      duration(
          "resume.spread",
          ofMillis(500),
          ofMillis(0),
          ofMinutes(10),
          "Two messages that one node receives in another order than a second node lie less than this"
              + " apart. A client that comes from another node is sent so much twice.");
  public static final Setting<Duration> RESUME_MARGIN =
      duration(
          "resume.margin",
          ofSeconds(5),
          ofMillis(0),
          ofMinutes(10),
          "By how much the clocks of two nodes, and the times at which they receive the same message,"
              + " may differ.");
  public static final Setting<Integer> RESUME_OVERLAP =
      integer(
          "resume.overlap",
          4_096,
          16,
          1_000_000,
          "Identities that a client has to remember for each subscription; half of it is as much"
              + " as resume.spread may hold of one topic.");

  public static final Setting<Integer> LIMIT_CONNECTIONS =
      integer(
          "limits.connections",
          100_000,
          1,
          10_000_000,
          "Client connections a node; past it the handshake is answered with 503.");
  public static final Setting<Long> LIMIT_FRAME_BYTES =
      bytes(
          "limits.frame-bytes",
          64 * KIB,
          125,
          1024 * MIB,
          "Payload of one WebSocket frame from a client; past it the client is closed with 1009.");
  public static final Setting<Long> LIMIT_MESSAGE_BYTES =
      bytes(
          "limits.message-bytes",
          64 * KIB,
          125,
          1024 * MIB,
          "One message from a client, all fragments, inflated; past it 1009.");
  public static final Setting<Long> LIMIT_BROKER_MESSAGE_BYTES =
      bytes(
          "limits.broker-message-bytes",
          MIB,
          1,
          1024 * MIB,
          "Payload of one message from the broker; a larger one is dropped and told as a gap.");
  public static final Setting<Integer> LIMIT_SUBSCRIPTIONS =
      integer("limits.subscriptions", 1000, 1, 10_000_000, "Subscriptions a client.");
  public static final Setting<Integer> LIMIT_GRANTS =
      integer(
          "limits.grants",
          1000,
          1,
          1_000_000,
          "Patterns that the rules and a client's claims may give it together; past it the client is"
              + " refused with unauthorized (4200).");
  public static final Setting<Integer> LIMIT_TOPICS =
      integer(
          "limits.topics",
          10_000,
          1,
          10_000_000,
          "Topics and patterns with a consumer at the broker, a node.");
  public static final Setting<Integer> LIMIT_CHANNELS =
      integer(
          "limits.channels",
          1_000_000,
          1,
          16_777_215,
          "Concrete topics that the node has numbered for binary messages; past it a message of a"
              + " new topic is dropped and told as a gap.");
  public static final Setting<Integer> LIMIT_TOPIC_LENGTH =
      integer("limits.topic-length", 255, 1, 8192, "Characters of a topic or pattern.");
  public static final Setting<Integer> LIMIT_TOPIC_DEPTH =
      integer("limits.topic-depth", 16, 1, 256, "Levels of a topic or pattern.");
  public static final Setting<Long> LIMIT_PENDING_BYTES =
      bytes(
          "limits.pending-bytes",
          MIB,
          4 * KIB,
          1024 * MIB,
          "Bytes that may wait for one client, each buffer counted with 96 more; a frame more and the"
              + " client is closed with 4000.");
  public static final Setting<Long> LIMIT_SNAPSHOT_BYTES =
      bytes(
          "limits.snapshot-bytes",
          16 * MIB,
          64 * KIB,
          1024 * MIB,
          "Bytes of the lists of messages by which one event loop replays snapshots; past it the"
              + " oldest replay ends with a gap.");
  public static final Setting<Integer> LIMIT_SHARD_QUEUE =
      integer(
          "limits.shard-queue",
          65_536,
          64,
          16_777_216,
          "Messages that may wait for one event loop; past it they are dropped and told as a gap.");
  public static final Setting<Long> LIMIT_SHARD_QUEUE_BYTES =
      bytes(
          "limits.shard-queue-bytes",
          64 * MIB,
          MIB,
          1024 * MIB,
          "Payload bytes of the messages that may wait for one event loop; past it as above.");
  public static final Setting<Integer> LIMIT_INGRESS_QUEUE =
      integer(
          "limits.ingress-queue",
          16_384,
          16,
          16_777_216,
          "Messages of one topic (or pattern) from the broker that may wait to be encoded; past it"
              + " messages of this topic are dropped and reported as a gap.");
  public static final Setting<Long> LIMIT_INGRESS_QUEUE_BYTES =
      bytes(
          "limits.ingress-queue-bytes",
          16 * MIB,
          64 * 1024,
          1024 * MIB,
          "Bytes of these messages; past it as above.");
  public static final Setting<Long> LIMIT_INGRESS_MEMORY =
      bytes(
          "limits.ingress-memory",
          128 * MIB,
          MIB,
          64 * 1024 * MIB,
          "Bytes of the messages of all topics that may wait to be encoded; past it topics that hold"
              + " more than an equal share drop messages and report a gap.");
  public static final Setting<Integer> LIMIT_HANDSHAKES =
      integer(
          "limits.handshakes",
          10_000,
          1,
          10_000_000,
          "Connections an event loop that are neither WebSockets nor streams yet; one more is cut.");
  public static final Setting<Integer> LIMIT_HANDSHAKE_RATE =
      integer(
          "limits.handshake-rate",
          0,
          0,
          10_000_000,
          "Handshakes and requests for streams a second and node, on average; one second's worth may"
              + " come at once. Past it 503; 0: no limit.");
  public static final Setting<Integer> LIMIT_ADDRESS_CONNECTIONS =
      integer(
          "limits.address.connections",
          0,
          0,
          10_000_000,
          "Client connections an address, or of IPv6 a /64; past it the handshake is answered with"
              + " 429. As many more may be neither WebSockets nor streams yet; one more is cut. 0: no"
              + " limit, for addresses that many clients share.");
  public static final Setting<Integer> LIMIT_ADDRESS_HANDSHAKE_RATE =
      integer(
          "limits.address.handshake-rate",
          0,
          0,
          10_000_000,
          "Handshakes and other requests a second and address, on average, a connection that asks for"
              + " nothing counted as one; one second's worth may come at once. Past it 429, or with TLS"
              + " no TLS handshake; past ten times of it plain connections are cut; 0: no limit.");
  public static final Setting<Integer> LIMIT_ADDRESS_SUBSCRIPTIONS =
      integer(
          "limits.address.subscriptions",
          0,
          0,
          100_000_000,
          "Subscriptions of one address over all its connections; 0: no limit.");
  public static final Setting<Integer> LIMIT_ADDRESS_PUBLISH_RATE =
      integer(
          "limits.address.publish-rate",
          0,
          0,
          10_000_000,
          "Publishes a second of one address over all its connections, on average; one second's"
              + " worth may come at once. 0: no limit.");
  public static final Setting<Long> LIMIT_ADDRESS_PUBLISH_BYTES =
      bytes(
          "limits.address.publish-bytes",
          0,
          0,
          1024 * MIB,
          "The same in bytes of payload and properties a second; 0: no limit.");
  public static final Setting<Integer> LIMIT_ADDRESSES =
      integer(
          "limits.addresses",
          100_000,
          1,
          10_000_000,
          "Addresses that are counted at once; those past it are held to the limits of the node"
              + " alone.");
  public static final Setting<Integer> LIMIT_PRINCIPAL_CONNECTIONS =
      integer(
          "limits.principal.connections",
          0,
          0,
          10_000_000,
          "Connections of one principal, of those that showed a credential; past it the client is"
              + " closed with 4003. 0: no limit.");
  public static final Setting<Integer> LIMIT_PRINCIPAL_HANDSHAKE_RATE =
      integer(
          "limits.principal.handshake-rate",
          0,
          0,
          10_000_000,
          "Sessions a second that one principal begins, on average; one second's worth may come at"
              + " once. Past it the client is closed with 4003; 0: no limit.");
  public static final Setting<Integer> LIMIT_PRINCIPAL_SUBSCRIPTIONS =
      integer(
          "limits.principal.subscriptions",
          0,
          0,
          100_000_000,
          "Subscriptions of one principal over all its connections; 0: no limit.");
  public static final Setting<Integer> LIMIT_PRINCIPAL_PUBLISH_RATE =
      integer(
          "limits.principal.publish-rate",
          0,
          0,
          10_000_000,
          "Publishes a second of one principal over all its connections, on average; one second's"
              + " worth may come at once. 0: no limit.");
  public static final Setting<Long> LIMIT_PRINCIPAL_PUBLISH_BYTES =
      bytes(
          "limits.principal.publish-bytes",
          0,
          0,
          1024 * MIB,
          "The same in bytes of payload and properties a second; 0: no limit.");
  public static final Setting<Integer> LIMIT_NODE_SUBSCRIPTIONS =
      integer(
          "limits.node.subscriptions",
          0,
          0,
          100_000_000,
          "Subscriptions of all clients of the node; 0: no limit.");
  public static final Setting<Integer> LIMIT_NODE_PUBLISH_RATE =
      integer(
          "limits.node.publish-rate",
          0,
          0,
          10_000_000,
          "Publishes a second of all clients of the node, on average; one second's"
              + " worth may come at once. 0: no limit.");
  public static final Setting<Long> LIMIT_NODE_PUBLISH_BYTES =
      bytes(
          "limits.node.publish-bytes",
          0,
          0,
          1024 * MIB,
          "The same in bytes of payload and properties a second; 0: no limit.");
  public static final Setting<Duration> LIMIT_OVERLOAD_LAG =
      duration(
          "limits.overload-lag",
          ofSeconds(1),
          ofMillis(0),
          ofMinutes(1),
          "An event loop whose timer is later than this three times in a row takes no new clients, but"
              + " answers 503, until it is well in time again; 0s: it always takes them.");
  public static final Setting<Integer> LIMIT_FRAME_RATE =
      integer(
          "limits.frame-rate",
          1000,
          0,
          100_000,
          "Frames a second from one client, a WebSocket's pings and fragments included, and the lines of"
              + " a stream's request, on average; ten seconds' worth may come at once. Past it 4205; 0:"
              + " no limit.");
  public static final Setting<Long> LIMIT_RECEIVE_RATE =
      bytes(
          "limits.receive-rate",
          0,
          0,
          128 * MIB,
          "The same in bytes a second of a WebSocket; 0: no limit.");
  public static final Setting<Integer> LIMIT_TOPIC_PUBLISH_RATE =
      integer(
          "limits.topic-publish-rate",
          0,
          0,
          10_000_000,
          "Publishes a second of all clients to one topic, on average; one second's worth may come at"
              + " once. limits.topics of them are counted one by one, all others as one; 0: no limit.");
  public static final Setting<Integer> LIMIT_PUBLISH_RATE =
      integer(
          "limits.publish-rate",
          100,
          1,
          10_000_000,
          "Publishes a second and client, on average; one second's worth may come at once.");
  public static final Setting<Integer> LIMIT_SUBSCRIBE_RATE =
      integer(
          "limits.subscribe-rate",
          100,
          1,
          10_000_000,
          "Subscribes a second and client, once it has made as many as it may hold.");
  public static final Setting<Long> LIMIT_HANDSHAKE_BYTES =
      bytes(
          "limits.handshake-bytes",
          8 * KIB,
          KIB,
          MIB,
          "Headers of one HTTP request; past it the request is refused.");
  public static final Setting<Integer> LIMIT_REFRESH_RATE =
      integer(
          "limits.refresh-rate",
          1,
          1,
          1_000_000,
          "Refreshes of its credential a second and client, on average; five seconds' worth may come"
              + " at once.");
  public static final Setting<Long> LIMIT_ENTERING_BYTES =
      bytes(
          "limits.entering-bytes",
          MIB,
          KIB,
          64 * MIB,
          "Frames of a client that wait until its credential is checked, each counted with 256 more;"
              + " past it 1009.");
  public static final Setting<Long> LIMIT_ENTERING_NODE_BYTES =
      bytes(
          "limits.entering-node-bytes",
          64 * MIB,
          MIB,
          16 * 1024 * MIB,
          "The same of all clients together; past it a client is closed with 1013.");
  public static final Setting<Integer> LIMIT_REVOCATIONS =
      integer(
          "limits.revocations",
          100_000,
          1,
          10_000_000,
          "Revocations that the node remembers; past it more are refused.");
  public static final Setting<Integer> LIMIT_ADMIN_FAILURES =
      integer(
          "limits.admin-failures",
          10,
          1,
          100_000,
          "Wrong or missing tokens a second that the admin port answers with 401; past it 429.");
  public static final Setting<Integer> LIMIT_ADMIN_CONNECTIONS =
      integer(
          "limits.admin-connections",
          64,
          1,
          10_000,
          "Connections of the admin port at once; past it the one is closed that asks for nothing for"
              + " longest.");
  public static final Setting<Long> LIMIT_STREAM_BODY_BYTES =
      bytes(
          "limits.stream-body-bytes",
          MIB,
          KIB,
          64 * MIB,
          "Body of one request for a stream over plain HTTP; past it the request is refused.");
  public static final Setting<Long> LIMIT_STREAM_BODIES_BYTES =
      bytes(
          "limits.stream-bodies-bytes",
          64 * MIB,
          KIB,
          16 * 1024 * MIB,
          "All such bodies that an event loop is reading; past it a request is refused with 503.");
  public static final Setting<Integer> LIMIT_CLIENT_ERRORS =
      integer(
          "limits.client-errors",
          100,
          1,
          10_000_000,
          "Errors that one client may cause on a connection before it is closed with 4203;"
              + " `rate-limited` does not count.");

  public static final Setting<Duration> TIMEOUT_HANDSHAKE =
      duration(
          "timeouts.handshake",
          ofSeconds(10),
          ofMillis(10),
          ofHours(1),
          "How long a connection may last before it is a WebSocket, and again to its first frame, or"
              + " before it has asked for a stream.");
  public static final Setting<Duration> TIMEOUT_PING =
      duration(
          "timeouts.ping",
          ofSeconds(25),
          ofMillis(100),
          ofDays(1),
          "How often the node pings each client.");
  public static final Setting<Duration> TIMEOUT_IDLE =
      duration(
          "timeouts.idle",
          ofSeconds(60),
          ofMillis(200),
          ofDays(7),
          "A client from which nothing has come for this long, not even a pong, is closed with"
              + " 4001.");
  public static final Setting<Duration> TIMEOUT_ADMIN_IDLE =
      duration(
          "timeouts.admin-idle",
          ofSeconds(60),
          ofMillis(100),
          ofHours(1),
          "A connection of the admin port that asks for nothing for this long is closed.");
  public static final Setting<Duration> TIMEOUT_CLOSE =
      duration(
          "timeouts.close",
          ofSeconds(5),
          ofMillis(10),
          ofMinutes(10),
          "How long a client has to answer a close frame before its connection is cut.");
  public static final Setting<Duration> TIMEOUT_DRAIN =
      duration(
          "timeouts.drain",
          ofSeconds(10),
          ofMillis(0),
          ofHours(24),
          "How long a stopping node takes to send its clients away.");

  public static final Setting<Integer> DRAIN_RATE =
      integer(
          "drain.rate",
          0,
          0,
          1_000_000,
          "Clients a second that stopping nodes tell to leave, all nodes of a cluster together; 0:"
              + " each tells its own in the first half of timeouts.drain.");

  public static final Setting<String> CLUSTER_NAME =
      text(
          "cluster.name",
          "",
          "Name of the cluster, the same on all its nodes: they tell each other who is there, how"
              + " loaded each is and who drains. Empty: the node knows no other.");
  public static final Setting<String> CLUSTER_DISCOVERY =
      choice(
          "cluster.discovery",
          "static",
          List.of("static", "dns"),
          "How nodes find each other: static by cluster.nodes, dns by the addresses of cluster.dns.");
  public static final Setting<List<String>> CLUSTER_NODES =
      list(
          "cluster.nodes",
          List.of(),
          "Where other nodes may be, host:port each, such as gw-2.example.com:7800; names are looked"
              + " up anew each time, and this node may be among them.");
  public static final Setting<String> CLUSTER_DNS =
      text(
          "cluster.dns",
          "",
          "Name of which each address is a node, such as that of a headless service; all listen on"
              + " cluster.port.");
  public static final Setting<String> CLUSTER_HOST =
      text(
          "cluster.host",
          "",
          "Address of this machine that other nodes reach; empty: the first that is not loopback.");
  public static final Setting<Integer> CLUSTER_PORT =
      integer("cluster.port", 7800, 1, 65535, "Port for the other nodes, at cluster.host.");
  public static final Setting<String> CLUSTER_SECRET =
      text(
          "cluster.secret",
          "",
          "What all nodes know and nobody else, 16 characters or more from a generator; nodes encrypt"
              + " with it. Without secret and certificate only loopback is allowed.");
  public static final Setting<String> CLUSTER_SECRET_FILE =
      text("cluster.secret-file", "", "File whose one line is that secret, read at the start.");
  public static final Setting<String> CLUSTER_TLS_CERTIFICATE =
      text(
          "cluster.tls.certificate",
          "",
          "Instead of a secret: PEM file with the certificate that this node shows to other nodes, its"
              + " chain behind it.");
  public static final Setting<String> CLUSTER_TLS_KEY =
      text("cluster.tls.key", "", "PEM file with its private key, as server.tls.key.");
  public static final Setting<String> CLUSTER_TLS_CA =
      text(
          "cluster.tls.ca",
          "",
          "PEM file with the authorities of nodes' certificates: whoever has one of them is a node.");
  public static final Setting<Duration> CLUSTER_TLS_RELOAD =
      duration(
          "cluster.tls.reload",
          ofSeconds(10),
          ofMillis(10),
          ofHours(24),
          "How often the node looks whether files of cluster.tls have changed; if so, new connections"
              + " between nodes have what they hold now.");
  public static final Setting<String> CLUSTER_PUBLIC_URL =
      text(
          "cluster.public-url",
          "",
          "Where clients reach this very node, such as wss://gw-2.example.com/ws, for other nodes that"
              + " send clients here; empty: no client is sent here by name.");
  public static final Setting<String> CLUSTER_ADMIN_URL =
      text(
          "cluster.admin-url",
          "",
          "Where operators reach this node's admin port, such as https://gw-2.example.com:9090; empty:"
              + " it isn't told.");
  public static final Setting<Duration> CLUSTER_REPORT =
      duration(
          "cluster.report",
          ofSeconds(5),
          ofMillis(50),
          ofMinutes(10),
          "How often other nodes are told this node's load, at most; what has hardly changed is not"
              + " told.");
  public static final Setting<Duration> CLUSTER_WARM_TIMEOUT =
      duration(
          "cluster.warm-timeout",
          ofSeconds(30),
          ofMillis(100),
          ofMinutes(10),
          "How long a node that joins waits, before it is ready, for the topics that other nodes have"
              + " in use; as long again they stay without a subscriber.");
  public static final Setting<Integer> CLUSTER_WARM_TOPICS =
      integer(
          "cluster.warm-topics",
          10_000,
          0,
          1_000_000,
          "Topics in use on other nodes that a node opens when it joins and keeps open while it runs,"
              + " and topics of its own that it reports to them, at most; 0: none.");
  public static final Setting<Boolean> CLUSTER_KEEP_WARM =
      flag(
          "cluster.keep-warm",
          true,
          "Keep topics open that clients of other nodes use, so that clients that move here find a"
              + " log; each such topic has a consumer on every node.");
  public static final Setting<Integer> CLUSTER_WARM_RATE =
      integer(
          "cluster.warm-rate",
          100,
          1,
          100_000,
          "Topics a second that cluster.keep-warm opens, and as many that it gives up, at most.");
  public static final Setting<Duration> CLUSTER_WARM_LINGER =
      duration(
          "cluster.warm-linger",
          ofMinutes(2),
          ofMillis(0),
          ofHours(24),
          "How long cluster.keep-warm keeps a topic that no client of another node uses any more.");

  public static final Setting<Boolean> BALANCE_REDIRECT =
      flag(
          "balance.redirect",
          false,
          "Send clients that come to a node with more than its share to another one, if they"
              + " understand it and cluster.public-url says where that is.");
  public static final Setting<Integer> BALANCE_TOLERANCE =
      integer(
          "balance.tolerance",
          20,
          1,
          1_000,
          "Percent by which a node may have more clients than the mean of all nodes before it asks"
              + " any to move; of those that come it sends some elsewhere from half of it on.");
  public static final Setting<Duration> BALANCE_REST =
      duration(
          "balance.rest",
          ofMinutes(3),
          ofMillis(0),
          ofHours(24),
          "How long a client is left alone after it has come, and after it was asked to move, before"
              + " it is asked; counted in whole timeouts.ping, rounded up, and one more.");
  public static final Setting<Integer> BALANCE_SHED_RATE =
      integer(
          "balance.shed-rate",
          0,
          0,
          10_000_000,
          "Connected clients a minute that all nodes together ask to move to nodes with fewer; 0:"
              + " none, until an operator asks for it.");
  public static final Setting<Duration> BALANCE_BROKER_LOSS_AFTER =
      duration(
          "balance.broker-loss-after",
          ofSeconds(2),
          ofMillis(0),
          ofHours(24),
          "How long a node is without its broker before it redirects its clients to nodes that have"
              + " theirs, at the pace of drain.rate; 0: its clients wait.");

  public static final Setting<String> LOG_FORMAT =
      choice("log.format", "text", List.of("text", "json"), "Form of the log lines.");
  public static final Setting<String> LOG_LEVEL =
      choice(
          "log.level",
          "info",
          List.of("error", "warn", "info", "debug", "trace"),
          "Least severity that is logged.");

  private static final List<Setting<?>> ALL =
      List.of(
          NODE_NAME,
          NODE_PAUSE_THRESHOLD,
          SERVER_HOST,
          SERVER_PORT,
          SERVER_BACKLOG,
          SERVER_TRANSPORT,
          SERVER_SEND_BUFFER,
          SERVER_EVENT_LOOPS,
          SERVER_BATCH_LINGER,
          SERVER_ALLOWED_ORIGINS,
          SERVER_TRUSTED_PROXIES,
          SERVER_FORWARDED_HEADER,
          SERVER_PROXY_PROTOCOL,
          SERVER_HSTS,
          SERVER_COMPRESSION,
          SERVER_ECHO,
          SERVER_STREAM_LIFETIME,
          SERVER_TLS_CERTIFICATE,
          SERVER_TLS_KEY,
          SERVER_TLS_CERTIFICATES,
          SERVER_TLS_OCSP_RESPONSES,
          SERVER_TLS_RELOAD,
          SERVER_TLS_CLIENT_AUTH,
          SERVER_TLS_CLIENT_CA,
          SERVER_TLS_CLIENT_CRL,
          SERVER_TLS_ENGINE,
          AUTH_ANONYMOUS,
          AUTH_TIMEOUT,
          AUTH_COOKIE,
          AUTH_QUERY_PARAMETER,
          AUTH_REVOCATION_MEMORY,
          AUTH_CERTIFICATE_NAME,
          AUTH_TOKEN_BYTES,
          AUTH_THREADS,
          AUTH_QUEUE,
          AUTH_HTTP_TIMEOUT,
          AUTH_HTTP_BYTES,
          AUTH_ALLOW_PLAIN_HTTP,
          AUTH_TRUST,
          AUTH_JWT_KEYS,
          AUTH_JWT_KEYS_POLL,
          AUTH_JWT_JWKS_URL,
          AUTH_JWT_DISCOVERY,
          AUTH_JWT_REFRESH,
          AUTH_JWT_REFRESH_MIN,
          AUTH_JWT_ISSUER,
          AUTH_JWT_AUDIENCE,
          AUTH_JWT_ALGORITHMS,
          AUTH_JWT_REQUIRE_EXPIRY,
          AUTH_JWT_CLOCK_SKEW,
          AUTH_JWT_SUBJECT_CLAIM,
          AUTH_INTROSPECTION_URL,
          AUTH_INTROSPECTION_CLIENT_ID,
          AUTH_INTROSPECTION_CLIENT_SECRET,
          AUTH_INTROSPECTION_CACHE,
          AUTH_INTROSPECTION_CACHE_REFUSED,
          AUTH_INTROSPECTION_CACHE_ENTRIES,
          AUTH_INTROSPECTION_IN_FLIGHT,
          AUTH_KERBEROS_KEYTAB,
          AUTH_KERBEROS_PRINCIPAL,
          AUTH_KERBEROS_REALMS,
          AUTH_KERBEROS_LOCAL_REALM,
          AUTH_KERBEROS_LOWER_CASE,
          AUTH_KERBEROS_CHALLENGE,
          AUTH_KERBEROS_SESSION,
          PERMISSIONS_RULES,
          PERMISSIONS_CLAIM,
          AUDIT_FILE,
          AUDIT_EVENTS,
          AUDIT_RATE,
          AUDIT_QUEUE,
          ADMIN_HOST,
          ADMIN_PORT,
          ADMIN_TOKEN,
          ADMIN_TOKEN_FILE,
          ADMIN_METRICS_OPEN,
          ADMIN_TLS_CERTIFICATE,
          ADMIN_TLS_KEY,
          BROKER_URL,
          BROKER_PROVIDER,
          BROKER_USER,
          BROKER_PASSWORD,
          BROKER_USER_FILE,
          BROKER_PASSWORD_FILE,
          BROKER_CLIENT_ID,
          BROKER_SITE,
          BROKER_CONNECTIONS,
          BROKER_CONNECT_TIMEOUT,
          BROKER_OPEN_PARALLELISM,
          BROKER_CONSUMERS_PER_SESSION,
          BROKER_OPEN_TIMEOUT,
          BROKER_ACKNOWLEDGE,
          BROKER_LINGER,
          BROKER_RECONNECT_MIN,
          BROKER_RECONNECT_MAX,
          BROKER_CANARY_INTERVAL,
          BROKER_CANARY_PATIENCE,
          BROKER_CONGESTION_HOLD,
          BROKER_CANARY_PREFIX,
          BROKER_FORWARD_PROPERTIES,
          BROKER_DURABLE,
          BROKER_WILDCARDS,
          BROKER_FACTORY_CLASS,
          BROKER_FACTORY_PROPERTIES,
          BROKER_JNDI_CONNECTION_FACTORY,
          BROKER_JNDI_ENVIRONMENT,
          BROKER_JARS,
          BROKER_PUBLISH_QUEUE,
          BROKER_PUBLISH_QUEUE_BYTES,
          BROKER_PUBLISH_MODE,
          BROKER_PUBLISH_SESSIONS,
          BROKER_PUBLISH_IN_FLIGHT,
          BROKER_PUBLISH_IN_FLIGHT_BYTES,
          BROKER_PUBLISH_DESTINATIONS,
          BROKER_PUBLISH_TIMEOUT,
          SUBSCRIBE_TOPICS,
          PUBLISH_TOPICS,
          PUBLISH_PERSISTENT,
          HISTORY_MESSAGES,
          HISTORY_BYTES,
          HISTORY_AGE,
          HISTORY_MEMORY,
          HISTORY_FRAMES,
          HISTORY_KEYS,
          HISTORY_KEY_PROPERTIES,
          HISTORY_WARM,
          HISTORY_WARM_RETRY,
          JOURNAL_FOLDER,
          JOURNAL_BYTES,
          RESUME_SPREAD,
          RESUME_MARGIN,
          RESUME_OVERLAP,
          LIMIT_CONNECTIONS,
          LIMIT_FRAME_BYTES,
          LIMIT_MESSAGE_BYTES,
          LIMIT_BROKER_MESSAGE_BYTES,
          LIMIT_SUBSCRIPTIONS,
          LIMIT_GRANTS,
          LIMIT_TOPICS,
          LIMIT_CHANNELS,
          LIMIT_TOPIC_LENGTH,
          LIMIT_TOPIC_DEPTH,
          LIMIT_PENDING_BYTES,
          LIMIT_SNAPSHOT_BYTES,
          LIMIT_SHARD_QUEUE,
          LIMIT_SHARD_QUEUE_BYTES,
          LIMIT_INGRESS_QUEUE,
          LIMIT_INGRESS_QUEUE_BYTES,
          LIMIT_INGRESS_MEMORY,
          LIMIT_HANDSHAKES,
          LIMIT_HANDSHAKE_RATE,
          LIMIT_ADDRESS_CONNECTIONS,
          LIMIT_ADDRESS_HANDSHAKE_RATE,
          LIMIT_ADDRESS_SUBSCRIPTIONS,
          LIMIT_ADDRESS_PUBLISH_RATE,
          LIMIT_ADDRESS_PUBLISH_BYTES,
          LIMIT_ADDRESSES,
          LIMIT_PRINCIPAL_CONNECTIONS,
          LIMIT_PRINCIPAL_HANDSHAKE_RATE,
          LIMIT_PRINCIPAL_SUBSCRIPTIONS,
          LIMIT_PRINCIPAL_PUBLISH_RATE,
          LIMIT_PRINCIPAL_PUBLISH_BYTES,
          LIMIT_NODE_SUBSCRIPTIONS,
          LIMIT_NODE_PUBLISH_RATE,
          LIMIT_NODE_PUBLISH_BYTES,
          LIMIT_OVERLOAD_LAG,
          LIMIT_FRAME_RATE,
          LIMIT_RECEIVE_RATE,
          LIMIT_TOPIC_PUBLISH_RATE,
          LIMIT_PUBLISH_RATE,
          LIMIT_SUBSCRIBE_RATE,
          LIMIT_HANDSHAKE_BYTES,
          LIMIT_REFRESH_RATE,
          LIMIT_ENTERING_BYTES,
          LIMIT_ENTERING_NODE_BYTES,
          LIMIT_REVOCATIONS,
          LIMIT_ADMIN_FAILURES,
          LIMIT_ADMIN_CONNECTIONS,
          LIMIT_STREAM_BODY_BYTES,
          LIMIT_STREAM_BODIES_BYTES,
          LIMIT_CLIENT_ERRORS,
          TIMEOUT_HANDSHAKE,
          TIMEOUT_PING,
          TIMEOUT_IDLE,
          TIMEOUT_ADMIN_IDLE,
          TIMEOUT_CLOSE,
          TIMEOUT_DRAIN,
          DRAIN_RATE,
          CLUSTER_NAME,
          CLUSTER_DISCOVERY,
          CLUSTER_NODES,
          CLUSTER_DNS,
          CLUSTER_HOST,
          CLUSTER_PORT,
          CLUSTER_SECRET,
          CLUSTER_SECRET_FILE,
          CLUSTER_TLS_CERTIFICATE,
          CLUSTER_TLS_KEY,
          CLUSTER_TLS_CA,
          CLUSTER_TLS_RELOAD,
          CLUSTER_PUBLIC_URL,
          CLUSTER_ADMIN_URL,
          CLUSTER_REPORT,
          CLUSTER_WARM_TIMEOUT,
          CLUSTER_WARM_TOPICS,
          CLUSTER_KEEP_WARM,
          CLUSTER_WARM_RATE,
          CLUSTER_WARM_LINGER,
          BALANCE_REDIRECT,
          BALANCE_TOLERANCE,
          BALANCE_REST,
          BALANCE_SHED_RATE,
          BALANCE_BROKER_LOSS_AFTER,
          LOG_FORMAT,
          LOG_LEVEL);

  private Settings() {}

  /** All of them, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return ALL;
  }
}
