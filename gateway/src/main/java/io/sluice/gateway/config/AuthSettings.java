package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys of authentication. Constants only. */
public final class AuthSettings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;

  /** Asymmetric signature algorithms; those with a shared secret are never accepted. */
  static final List<String> SIGNATURE_ALGORITHMS =
      List.of(
          "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA");

  public static final Setting<Boolean> ANONYMOUS =
      flag("auth.anonymous", false, "Admit clients without a credential.");
  public static final Setting<Duration> TIMEOUT =
      duration(
          "auth.timeout",
          ofSeconds(5),
          ofMillis(100),
          ofMinutes(5),
          "Timeout of the check of a credential; after it the client is closed with 4002 and may"
              + " connect again. A request to an issuer may take four fifths of it.");
  public static final Setting<String> COOKIE =
      text("auth.cookie", "", "Cookie that holds a browser's token; empty: none is read.");
  public static final Setting<String> QUERY_PARAMETER =
      text(
          "auth.query-parameter",
          "",
          "URL parameter that holds a token; empty: none is read. Proxies write URLs to their logs.");
  public static final Setting<Duration> REVOCATION_MEMORY =
      duration(
          "auth.revocation-memory",
          ofHours(24),
          ofSeconds(1),
          ofDays(366),
          "Time for which the node stores revocations; at least the lifetime of credentials.");
  public static final Setting<String> CERTIFICATE_NAME =
      choice(
          "auth.certificate.name",
          "cn",
          List.of("subject", "cn", "email", "dns", "uri"),
          "Part of a client's certificate that is the client's name: the whole subject, its CN, or"
              + " the first alternative name of a kind.");

  /** Largest token or ticket that is checked, in bytes. */
  public static final Setting<Long> TOKEN_BYTES = internal("auth.token-bytes", 64 * KIB);

  /** Threads that check tokens and tickets. */
  public static final Setting<Integer> THREADS = internal("auth.threads", 2);

  /** Largest number of checks that run or wait; the client of one more is closed with 4002. */
  public static final Setting<Integer> QUEUE = internal("auth.queue", 10_000);

  /** Largest answer of an issuer that is read, in bytes. */
  public static final Setting<Long> HTTP_BYTES = internal("auth.http-bytes", MIB);

  public static final Setting<Boolean> ALLOW_PLAIN_HTTP =
      flag(
          "auth.allow-plain-http",
          false,
          "Permit http URLs of issuers on other machines. A man in the middle can then admit any"
              + " client.");
  public static final Setting<String> TRUST =
      text(
          "auth.trust",
          "",
          "PEM file with authorities that are trusted for https requests to issuers, in addition to"
              + " those of the JDK.");
  public static final Setting<List<String>> JWT_KEYS =
      list(
          "auth.jwt.keys",
          List.of(),
          "Files with the public keys of JWTs: PEM keys, PEM certificates or a JWKS; of a folder, all"
              + " files in it.");

  /** Interval at which the files of auth.jwt.keys are checked for changes. */
  public static final Setting<Duration> JWT_KEYS_POLL =
      internal("auth.jwt.keys-poll", ofSeconds(5));

  public static final Setting<String> JWT_JWKS_URL =
      text("auth.jwt.jwks-url", "", "URL of the issuer's JWKS, the set of its public keys.");

  /** Interval at which the JWKS is fetched. */
  public static final Setting<Duration> JWT_REFRESH = internal("auth.jwt.refresh", ofMinutes(10));

  /** Shortest time between two fetches of the JWKS, also for tokens of unknown keys. */
  public static final Setting<Duration> JWT_REFRESH_MIN =
      internal("auth.jwt.refresh-min", ofSeconds(10));

  public static final Setting<String> JWT_ISSUER =
      text(
          "auth.jwt.issuer",
          "",
          "Issuer that a JWT must name (iss), compared exactly; empty: any. An https URL without"
              + " auth.jwt.keys, auth.jwt.jwks-url and auth.introspection.url: the JWKS is located"
              + " below it by OpenID Connect discovery.");
  public static final Setting<List<String>> JWT_AUDIENCE =
      list(
          "auth.jwt.audience",
          List.of(),
          "Audiences (aud) of which a JWT must name one; empty: any, including tokens for the"
              + " issuer's other services.");
  public static final Setting<List<String>> JWT_ALGORITHMS =
      list("auth.jwt.algorithms", SIGNATURE_ALGORITHMS, "Algorithms by which a JWT may be signed.");
  public static final Setting<Boolean> JWT_REQUIRE_EXPIRY =
      flag("auth.jwt.require-expiry", true, "Refuse JWTs without an end (exp).");

  /** Tolerance for an issuer's clock that is ahead (nbf and iat). */
  public static final Setting<Duration> JWT_CLOCK_SKEW =
      internal("auth.jwt.clock-skew", ofSeconds(30));

  public static final Setting<String> JWT_SUBJECT_CLAIM =
      text(
          "auth.jwt.subject-claim",
          "sub",
          "Claim that holds the client's name, of a JWT or of an introspection response.");
  public static final Setting<String> INTROSPECTION_URL =
      text(
          "auth.introspection.url",
          "",
          "Introspection endpoint of the issuer (RFC 7662) for tokens that are no JWT, or for all"
              + " tokens if no keys of JWTs are configured.");
  public static final Setting<String> INTROSPECTION_CLIENT_ID =
      text("auth.introspection.client-id", "", "Client id of this node at the issuer.");
  public static final Setting<String> INTROSPECTION_CLIENT_SECRET =
      text("auth.introspection.client-secret", "", "Client secret of this node at the issuer.");
  public static final Setting<Duration> INTROSPECTION_CACHE =
      duration(
          "auth.introspection.cache",
          ofSeconds(30),
          ofMillis(0),
          ofHours(1),
          "Time for which a positive response is cached, at most until the token ends. A token that"
              + " the issuer withdraws is accepted for as long.");

  /** How long the answer is cached that a token is not valid. */
  public static final Setting<Duration> INTROSPECTION_CACHE_REFUSED =
      internal("auth.introspection.cache-refused", ofSeconds(5));

  /** Largest number of introspection requests at one time. */
  public static final Setting<Integer> INTROSPECTION_IN_FLIGHT =
      internal("auth.introspection.in-flight", 100);

  public static final Setting<String> KERBEROS_KEYTAB =
      text(
          "auth.kerberos.keytab",
          "",
          "File with the keys of this service at the Kerberos KDC; it is read again after a change."
              + " Empty: no tickets are taken.");
  public static final Setting<List<String>> KERBEROS_PRINCIPAL =
      list(
          "auth.kerberos.principal",
          List.of(),
          "Names of this service whose keys count, with their realm, such as"
              + " HTTP/gw.example.com@EXAMPLE.COM; * alone: all that the keytab has.");
  public static final Setting<List<String>> KERBEROS_REALMS =
      list(
          "auth.kerberos.realms",
          List.of(),
          "Realms whose clients are taken; empty: those of auth.kerberos.principal.");
  public static final Setting<String> KERBEROS_LOCAL_REALM =
      text(
          "auth.kerberos.local-realm",
          "",
          "Realm whose clients are named without it: alice instead of alice@EXAMPLE.COM; empty:"
              + " none is.");
  public static final Setting<Boolean> KERBEROS_LOWER_CASE =
      flag(
          "auth.kerberos.lower-case",
          false,
          "Turn clients' names to lower case, for a KDC that takes them in any (Active Directory):"
              + " Alice is alice for permissions, limits and revocations. Realms stay as they are.");

  /** Requests without a credential that are challenged (401): auto, always or never. */
  public static final Setting<String> KERBEROS_CHALLENGE =
      internal("auth.kerberos.challenge", "auto");

  /** Longest session by a ticket; up to a tenth less, chosen at random. */
  public static final Setting<Duration> KERBEROS_SESSION =
      internal("auth.kerberos.session", ofHours(1));

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          ANONYMOUS,
          TIMEOUT,
          COOKIE,
          QUERY_PARAMETER,
          REVOCATION_MEMORY,
          CERTIFICATE_NAME,
          ALLOW_PLAIN_HTTP,
          TRUST,
          JWT_KEYS,
          JWT_JWKS_URL,
          JWT_ISSUER,
          JWT_AUDIENCE,
          JWT_ALGORITHMS,
          JWT_REQUIRE_EXPIRY,
          JWT_SUBJECT_CLAIM,
          INTROSPECTION_URL,
          INTROSPECTION_CLIENT_ID,
          INTROSPECTION_CLIENT_SECRET,
          INTROSPECTION_CACHE,
          KERBEROS_KEYTAB,
          KERBEROS_PRINCIPAL,
          KERBEROS_REALMS,
          KERBEROS_LOCAL_REALM,
          KERBEROS_LOWER_CASE);

  private AuthSettings() {}

  /**
   * Returns whether the JWKS is located by OpenID Connect discovery: the issuer is a URL, and no
   * other source checks tokens.
   */
  public static boolean discoversKeys(Config config) {
    String issuer = config.get(JWT_ISSUER);
    return (issuer.startsWith("https:") || issuer.startsWith("http:"))
        && config.get(JWT_KEYS).isEmpty()
        && config.get(JWT_JWKS_URL).isEmpty()
        && config.get(INTROSPECTION_URL).isEmpty();
  }

  /** Returns whether the node has keys of JWTs, from any source. */
  public static boolean takesJwts(Config config) {
    return discoversKeys(config)
        || !config.get(JWT_KEYS).isEmpty()
        || !config.get(JWT_JWKS_URL).isEmpty();
  }

  /** Returns whether the node takes tokens of any kind. */
  public static boolean takesTokens(Config config) {
    return takesJwts(config) || !config.get(INTROSPECTION_URL).isEmpty();
  }
}
