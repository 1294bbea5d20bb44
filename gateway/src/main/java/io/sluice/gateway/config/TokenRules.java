package io.sluice.gateway.config;

import java.util.ArrayList;
import java.util.List;

/** What must hold of the ways to check tokens. Used once, by one thread. */
final class TokenRules {
  private static final String KEY_SOURCES =
      "one of auth.jwt.keys, auth.jwt.jwks-url and auth.jwt.discovery";

  private static final List<Setting<?>> JWT_ONLY =
      List.of(
          Settings.AUTH_JWT_KEYS_POLL,
          Settings.AUTH_JWT_REFRESH,
          Settings.AUTH_JWT_REFRESH_MIN,
          Settings.AUTH_JWT_ALGORITHMS,
          Settings.AUTH_JWT_REQUIRE_EXPIRY);

  private static final List<Setting<?>> TOKENS_ONLY =
      List.of(
          Settings.AUTH_JWT_ISSUER,
          Settings.AUTH_JWT_AUDIENCE,
          Settings.AUTH_JWT_CLOCK_SKEW,
          Settings.AUTH_JWT_SUBJECT_CLAIM,
          Settings.AUTH_TRUST,
          Settings.AUTH_ALLOW_PLAIN_HTTP);

  private static final List<Setting<?>> INTROSPECTION_ONLY =
      List.of(
          Settings.AUTH_INTROSPECTION_CLIENT_ID,
          Settings.AUTH_INTROSPECTION_CLIENT_SECRET,
          Settings.AUTH_INTROSPECTION_CACHE,
          Settings.AUTH_INTROSPECTION_CACHE_REFUSED,
          Settings.AUTH_INTROSPECTION_CACHE_ENTRIES,
          Settings.AUTH_INTROSPECTION_IN_FLIGHT);

  private final Findings findings;
  private final Config config;

  TokenRules(Findings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    checkKeySources();
    checkJwt();
    checkIntrospection();
    checkIssuerAddresses();
  }

  // Keys of two places could not be taken back at one of them.
  private void checkKeySources() {
    List<Setting<?>> sources = keySources();
    if (sources.size() > 1) {
      findings.report(
          "the keys of JWTs come from " + sources.get(1).key() + " as well",
          KEY_SOURCES,
          sources.get(0),
          sources.get(1));
    }
    if (config.get(Settings.AUTH_JWT_DISCOVERY) && config.get(Settings.AUTH_JWT_ISSUER).isEmpty()) {
      findings.report(
          "is empty, but auth.jwt.discovery needs it",
          "the URL of the issuer",
          Settings.AUTH_JWT_ISSUER,
          Settings.AUTH_JWT_DISCOVERY);
    }
  }

  private List<Setting<?>> keySources() {
    List<Setting<?>> sources = new ArrayList<>();
    if (!config.get(Settings.AUTH_JWT_KEYS).isEmpty()) {
      sources.add(Settings.AUTH_JWT_KEYS);
    }
    if (!config.get(Settings.AUTH_JWT_JWKS_URL).isEmpty()) {
      sources.add(Settings.AUTH_JWT_JWKS_URL);
    }
    if (config.get(Settings.AUTH_JWT_DISCOVERY)) {
      sources.add(Settings.AUTH_JWT_DISCOVERY);
    }
    return sources;
  }

  private boolean hasJwt() {
    return !keySources().isEmpty();
  }

  /** Whether there is any way to check a token. */
  private boolean hasTokens() {
    return hasJwt() || !config.get(Settings.AUTH_INTROSPECTION_URL).isEmpty();
  }

  private void checkJwt() {
    List<String> algorithms = config.get(Settings.AUTH_JWT_ALGORITHMS);
    if (algorithms.isEmpty() || !Settings.JWT_ALGORITHMS.containsAll(algorithms)) {
      findings.report(
          algorithms + " are not algorithms that sign with a key pair",
          "some of " + String.join(", ", Settings.JWT_ALGORITHMS),
          Settings.AUTH_JWT_ALGORITHMS);
    }
    if (config.get(Settings.AUTH_JWT_SUBJECT_CLAIM).isEmpty()) {
      findings.report("is empty", "the name of a claim", Settings.AUTH_JWT_SUBJECT_CLAIM);
    }
    findings.ordered(Settings.AUTH_JWT_REFRESH_MIN, "more than", Settings.AUTH_JWT_REFRESH, 0);
    if (!hasJwt()) {
      for (Setting<?> setting : JWT_ONLY) {
        findings.needless(setting, "the keys of JWTs", KEY_SOURCES);
      }
    }
    if (!hasTokens()) {
      for (Setting<?> setting : TOKENS_ONLY) {
        findings.needless(setting, "tokens", KEY_SOURCES + ", or auth.introspection.url");
      }
    }
  }

  private void checkIntrospection() {
    String url = config.get(Settings.AUTH_INTROSPECTION_URL);
    if (url.isEmpty()) {
      for (Setting<?> setting : INTROSPECTION_ONLY) {
        findings.needless(setting, "auth.introspection.url", "a URL there");
      }
    } else if (config.get(Settings.AUTH_INTROSPECTION_CLIENT_ID).isEmpty()) {
      findings.report(
          "is empty, but auth.introspection.url needs it",
          "the name that the issuer knows this node by",
          Settings.AUTH_INTROSPECTION_CLIENT_ID,
          Settings.AUTH_INTROSPECTION_URL);
    }
  }

  private void checkIssuerAddresses() {
    checkIssuerAddress(Settings.AUTH_JWT_JWKS_URL);
    checkIssuerAddress(Settings.AUTH_INTROSPECTION_URL);
    if (config.get(Settings.AUTH_JWT_DISCOVERY)) {
      checkIssuerAddress(Settings.AUTH_JWT_ISSUER);
    }
  }

  private void checkIssuerAddress(Setting<String> setting) {
    String url = config.get(setting);
    if (url.isEmpty()) {
      return;
    }
    String problem = IssuerUrl.problem(url, config.get(Settings.AUTH_ALLOW_PLAIN_HTTP));
    if (problem != null) {
      findings.report(problem, IssuerUrl.EXPECTED, setting, Settings.AUTH_ALLOW_PLAIN_HTTP);
    }
  }
}
