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

  /** Asymmetric signature algorithms; algorithms with a shared secret are never accepted. */
  public static final List<String> SIGNATURE_ALGORITHMS =
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
          "Timeout for the check of a credential; the client is then closed with 4002.");
  public static final Setting<String> COOKIE =
      text("auth.cookie", "", "Name of the cookie with a browser's token; empty: none.");
  public static final Setting<String> QUERY_PARAMETER =
      text(
          "auth.query-parameter",
          "",
          "Name of the URL parameter with a token; empty: none. Proxies log URLs.");
  public static final Setting<Duration> REVOCATION_MEMORY =
      duration(
          "auth.revocation-memory",
          ofHours(24),
          ofSeconds(1),
          ofDays(366),
          "Retention of revocations, at least the lifetime of tokens and of renewed tickets.");

  public static final Setting<String> REVOCATIONS_FILE =
      text(
          "auth.revocations-file",
          "",
          "File in which this node stores its revocations, which then survive a restart of all"
              + " nodes.");
  public static final Setting<String> CERTIFICATE_NAME =
      choice(
          "auth.certificate.name",
          "cn",
          List.of("subject", "cn", "email", "dns", "uri"),
          "Part of a client's certificate that is the client's name: the subject, its CN, or the"
              + " first alternative name of a type.");

  public static final Setting<Boolean> ALLOW_PLAIN_HTTP =
      flag(
          "auth.allow-plain-http",
          false,
          "Permit http URLs of issuers on other machines. A man-in-the-middle attacker can then"
              + " admit any client.");
  public static final Setting<String> TRUST =
      text(
          "auth.trust",
          "",
          "PEM file with authorities for https requests to issuers, in addition to those of the"
              + " JDK.");
  public static final Setting<List<String>> JWT_KEYS =
      list(
          "auth.jwt.keys",
          List.of(),
          "Files or folders with public keys that verify JWTs: PEM keys, PEM certificates or a"
              + " JWKS.");

  /** Interval at which the files of auth.jwt.keys are checked for changes. */
  public static final Setting<Duration> JWT_KEYS_POLL =
      internal("auth.jwt.keys-poll", ofSeconds(5));

  public static final Setting<String> JWT_JWKS_URL =
      text("auth.jwt.jwks-url", "", "URL of the issuer's JWKS.");

  /** Interval at which the JWKS is fetched. */
  public static final Setting<Duration> JWT_REFRESH = internal("auth.jwt.refresh", ofMinutes(10));

  /** Minimum interval between two fetches of the JWKS, also for tokens with unknown keys. */
  public static final Setting<Duration> JWT_REFRESH_MIN =
      internal("auth.jwt.refresh-min", ofSeconds(10));

  public static final Setting<String> JWT_ISSUER =
      text(
          "auth.jwt.issuer",
          "",
          "Required issuer (iss) of JWTs; empty: any. An https URL locates the JWKS by OpenID"
              + " Connect discovery if auth.jwt.keys, auth.jwt.jwks-url and auth.introspection.url"
              + " are not set.");
  public static final Setting<List<String>> JWT_AUDIENCE =
      list(
          "auth.jwt.audience",
          List.of(),
          "Audiences (aud), of which a JWT must contain one; empty: any, including tokens for"
              + " other services.");
  public static final Setting<List<String>> JWT_ALGORITHMS =
      list("auth.jwt.algorithms", SIGNATURE_ALGORITHMS, "Accepted signature algorithms.");
  public static final Setting<Boolean> JWT_REQUIRE_EXPIRY =
      flag("auth.jwt.require-expiry", true, "Reject JWTs without an expiry (exp).");

  public static final Setting<String> JWT_SUBJECT_CLAIM =
      text(
          "auth.jwt.subject-claim",
          "sub",
          "Claim with the client's name, in a JWT or an introspection response.");
  public static final Setting<String> INTROSPECTION_URL =
      text(
          "auth.introspection.url",
          "",
          "Introspection endpoint (RFC 7662) for tokens that are not JWTs, or for all without"
              + " keys.");
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
          "Time for which a positive response is cached, at most until the token expires.");

  /** Time for which a negative response is cached. */
  public static final Setting<Duration> INTROSPECTION_CACHE_REFUSED =
      internal("auth.introspection.cache-refused", ofSeconds(5));

  /** Maximum number of concurrent introspection requests. */
  public static final Setting<Integer> INTROSPECTION_IN_FLIGHT =
      internal("auth.introspection.in-flight", 100);

  public static final Setting<String> KERBEROS_KEYTAB =
      text(
          "auth.kerberos.keytab",
          "",
          "File with the service's Kerberos keys; reloaded when it changes. Empty: no tickets"
              + " are accepted.");
  public static final Setting<List<String>> KERBEROS_PRINCIPAL =
      list(
          "auth.kerberos.principal",
          List.of(),
          "Principal names of this service with realm, such as HTTP/gw.example.com@EXAMPLE.COM;"
              + " * alone: all of the keytab.");
  public static final Setting<List<String>> KERBEROS_REALMS =
      list(
          "auth.kerberos.realms",
          List.of(),
          "Accepted realms of clients; empty: those of auth.kerberos.principal.");
  public static final Setting<String> KERBEROS_LOCAL_REALM =
      text(
          "auth.kerberos.local-realm",
          "",
          "Realm that is removed from clients' names: alice instead of alice@EXAMPLE.COM; empty:"
              + " none.");
  public static final Setting<Boolean> KERBEROS_LOWER_CASE =
      flag(
          "auth.kerberos.lower-case",
          false,
          "Convert clients' names, without realms, to lower case, for a KDC that ignores case"
              + " (Active Directory).");

  /** Maximum duration of a session authenticated by a ticket; up to a tenth less, at random. */
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
          REVOCATIONS_FILE,
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

  /** Returns whether the node has keys for JWTs, from any source. */
  public static boolean acceptsJwts(Config config) {
    return discoversKeys(config)
        || !config.get(JWT_KEYS).isEmpty()
        || !config.get(JWT_JWKS_URL).isEmpty();
  }

  /** Returns whether any client can be authenticated, or be admitted without a credential. */
  public static boolean admitsClients(Config config) {
    return config.get(ANONYMOUS) || acceptsCredentials(config);
  }

  /** Returns whether clients can have a credential. */
  public static boolean acceptsCredentials(Config config) {
    return acceptsTokens(config)
        || !config.get(KERBEROS_KEYTAB).isEmpty()
        || !config.get(ServerSettings.TLS_CLIENT_AUTH).equals("none");
  }

  /** Returns whether the node accepts tokens of any type. */
  public static boolean acceptsTokens(Config config) {
    return acceptsJwts(config) || !config.get(INTROSPECTION_URL).isEmpty();
  }
}
