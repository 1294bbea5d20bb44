package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.bytes;
import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.integer;
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
      flag("auth.anonymous", false, "Let clients in that show no credential.");
  public static final Setting<Duration> TIMEOUT =
      duration(
          "auth.timeout",
          ofSeconds(5),
          ofMillis(100),
          ofMinutes(5),
          "How long the check of a credential may take; after it the client is closed with 4002 and"
              + " may come again.");
  public static final Setting<String> COOKIE =
      text("auth.cookie", "", "Cookie that holds a browser's token; empty: none is looked at.");
  public static final Setting<String> QUERY_PARAMETER =
      text(
          "auth.query-parameter",
          "",
          "Parameter of the URL that holds a token; empty: none is looked at, because URLs end up in"
              + " the logs of proxies.");
  public static final Setting<Duration> REVOCATION_MEMORY =
      duration(
          "auth.revocation-memory",
          ofHours(24),
          ofSeconds(1),
          ofDays(366),
          "How long the node remembers what an operator has withdrawn; at least as long as"
              + " credentials last.");
  public static final Setting<String> CERTIFICATE_NAME =
      choice(
          "auth.certificate.name",
          "cn",
          List.of("subject", "cn", "email", "dns", "uri"),
          "What of a client's certificate is the client's name: the whole subject, its CN, or the"
              + " first alternative name of a kind.");
  public static final Setting<Long> TOKEN_BYTES =
      bytes(
          "auth.token-bytes", 16 * KIB, 256, MIB, "The longest token or ticket that is looked at.");
  public static final Setting<Integer> THREADS =
      integer("auth.threads", 2, 1, 64, "Threads that check tokens and tickets.");
  public static final Setting<Integer> QUEUE =
      integer(
          "auth.queue",
          10_000,
          1,
          1_000_000,
          "Tokens and tickets whose check may be under way or waiting; the client of one more is"
              + " closed with 4002 and may come again.");
  public static final Setting<Duration> HTTP_TIMEOUT =
      duration(
          "auth.http-timeout",
          ofSeconds(4),
          ofMillis(50),
          ofMinutes(5),
          "How long a request to the issuer of tokens may take.");
  public static final Setting<Long> HTTP_BYTES =
      bytes("auth.http-bytes", MIB, KIB, 64 * MIB, "The longest answer of an issuer that is read.");
  public static final Setting<Boolean> ALLOW_PLAIN_HTTP =
      flag(
          "auth.allow-plain-http",
          false,
          "Ask issuers on other machines by http, too: whoever is on the way can then let anybody"
              + " in.");
  public static final Setting<String> TRUST =
      text(
          "auth.trust",
          "",
          "PEM file with certificates of authorities to trust when an issuer is asked by https,"
              + " beside those of the JDK.");
  public static final Setting<List<String>> JWT_KEYS =
      list(
          "auth.jwt.keys",
          List.of(),
          "Files with the public keys of JWTs: PEM keys, PEM certificates or a JWKS; of a folder, all"
              + " files in it.");
  public static final Setting<Duration> JWT_KEYS_POLL =
      duration(
          "auth.jwt.keys-poll",
          ofSeconds(5),
          ofMillis(50),
          ofHours(1),
          "How often these files are looked at for changes.");
  public static final Setting<String> JWT_JWKS_URL =
      text("auth.jwt.jwks-url", "", "URL of the issuer's JWKS, the set of its public keys.");
  public static final Setting<Boolean> JWT_DISCOVERY =
      flag(
          "auth.jwt.discovery",
          false,
          "Find the JWKS by OpenID Connect discovery below the URL auth.jwt.issuer.");
  public static final Setting<Duration> JWT_REFRESH =
      duration(
          "auth.jwt.refresh",
          ofMinutes(10),
          ofMillis(100),
          ofHours(24),
          "How often the JWKS is fetched; a key that the issuer takes out is refused from then on.");
  public static final Setting<Duration> JWT_REFRESH_MIN =
      duration(
          "auth.jwt.refresh-min",
          ofSeconds(10),
          ofMillis(50),
          ofHours(1),
          "A token of an unknown key has the JWKS fetched at once, but not sooner than this after the"
              + " last time.");
  public static final Setting<String> JWT_ISSUER =
      text(
          "auth.jwt.issuer",
          "",
          "Issuer that a JWT has to name (iss), letter for letter; empty: any.");
  public static final Setting<List<String>> JWT_AUDIENCE =
      list(
          "auth.jwt.audience",
          List.of(),
          "Audiences (aud) of which a JWT has to name one; empty: any, so that tokens for the"
              + " issuer's other services are taken, too.");
  public static final Setting<List<String>> JWT_ALGORITHMS =
      list("auth.jwt.algorithms", SIGNATURE_ALGORITHMS, "Algorithms by which a JWT may be signed.");
  public static final Setting<Boolean> JWT_REQUIRE_EXPIRY =
      flag("auth.jwt.require-expiry", true, "Refuse JWTs that never end (no exp).");
  public static final Setting<Duration> JWT_CLOCK_SKEW =
      duration(
          "auth.jwt.clock-skew",
          ofSeconds(30),
          ofMillis(0),
          ofMinutes(10),
          "By how much the issuer's clock may be ahead, for nbf and iat; a token's end holds by the"
              + " node's clock.");
  public static final Setting<String> JWT_SUBJECT_CLAIM =
      text(
          "auth.jwt.subject-claim",
          "sub",
          "Claim that holds the client's name, of a JWT or of an introspection's answer.");
  public static final Setting<String> INTROSPECTION_URL =
      text(
          "auth.introspection.url",
          "",
          "URL at which the issuer tells about a token (RFC 7662): about tokens that are no JWT, or"
              + " about all if no keys of JWTs are configured.");
  public static final Setting<String> INTROSPECTION_CLIENT_ID =
      text("auth.introspection.client-id", "", "Name of this node at the issuer.");
  public static final Setting<String> INTROSPECTION_CLIENT_SECRET =
      text("auth.introspection.client-secret", "", "Its secret there.");
  public static final Setting<Duration> INTROSPECTION_CACHE =
      duration(
          "auth.introspection.cache",
          ofSeconds(30),
          ofMillis(0),
          ofHours(1),
          "How long an answer holds, unless the token ends before; as much later a withdrawn token"
              + " is refused.");
  public static final Setting<Duration> INTROSPECTION_CACHE_REFUSED =
      duration(
          "auth.introspection.cache-refused",
          ofSeconds(5),
          ofMillis(0),
          ofHours(1),
          "How long the answer holds that a token is not valid.");
  public static final Setting<Integer> INTROSPECTION_CACHE_ENTRIES =
      integer(
          "auth.introspection.cache-entries",
          10_000,
          1,
          10_000_000,
          "Answers of either kind that are kept.");
  public static final Setting<Integer> INTROSPECTION_IN_FLIGHT =
      integer(
          "auth.introspection.in-flight",
          100,
          1,
          100_000,
          "Requests to the issuer at one time; the client of one more is closed with 4002 and may"
              + " come again.");
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
  public static final Setting<String> KERBEROS_CHALLENGE =
      choice(
          "auth.kerberos.challenge",
          "auto",
          List.of("auto", "always", "never"),
          "Who is asked for a ticket (401) that shows no credential with its handshake: everybody,"
              + " nobody, or (auto) everybody if there is no other way in, otherwise those whose URL"
              + " has auth=negotiate.");
  public static final Setting<Duration> KERBEROS_SESSION =
      duration(
          "auth.kerberos.session",
          ofHours(1),
          ofSeconds(1),
          ofDays(7),
          "How long a session by a ticket lasts, or up to a tenth less; it is closed with 4201 then"
              + " and may come again with a fresh ticket.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          ANONYMOUS,
          TIMEOUT,
          COOKIE,
          QUERY_PARAMETER,
          REVOCATION_MEMORY,
          CERTIFICATE_NAME,
          TOKEN_BYTES,
          THREADS,
          QUEUE,
          HTTP_TIMEOUT,
          HTTP_BYTES,
          ALLOW_PLAIN_HTTP,
          TRUST,
          JWT_KEYS,
          JWT_KEYS_POLL,
          JWT_JWKS_URL,
          JWT_DISCOVERY,
          JWT_REFRESH,
          JWT_REFRESH_MIN,
          JWT_ISSUER,
          JWT_AUDIENCE,
          JWT_ALGORITHMS,
          JWT_REQUIRE_EXPIRY,
          JWT_CLOCK_SKEW,
          JWT_SUBJECT_CLAIM,
          INTROSPECTION_URL,
          INTROSPECTION_CLIENT_ID,
          INTROSPECTION_CLIENT_SECRET,
          INTROSPECTION_CACHE,
          INTROSPECTION_CACHE_REFUSED,
          INTROSPECTION_CACHE_ENTRIES,
          INTROSPECTION_IN_FLIGHT,
          KERBEROS_KEYTAB,
          KERBEROS_PRINCIPAL,
          KERBEROS_REALMS,
          KERBEROS_LOCAL_REALM,
          KERBEROS_LOWER_CASE,
          KERBEROS_CHALLENGE,
          KERBEROS_SESSION);

  private AuthSettings() {}
}
