package io.sluice.gateway.config;

import java.util.ArrayList;
import java.util.List;

/** What must hold of the ways to check tokens. Used once, by one thread. */
final class TokenRules {
  private static final String KEY_SOURCES =
      "one of auth.jwt.keys, auth.jwt.jwks-url and auth.jwt.discovery";

  private static final List<Setting<?>> JWT_ONLY =
      List.of(
          AuthSettings.JWT_KEYS_POLL,
          AuthSettings.JWT_REFRESH,
          AuthSettings.JWT_REFRESH_MIN,
          AuthSettings.JWT_ALGORITHMS,
          AuthSettings.JWT_REQUIRE_EXPIRY);

  private static final List<Setting<?>> TOKENS_ONLY =
      List.of(
          AuthSettings.JWT_ISSUER,
          AuthSettings.JWT_AUDIENCE,
          AuthSettings.JWT_CLOCK_SKEW,
          AuthSettings.JWT_SUBJECT_CLAIM,
          AuthSettings.TRUST,
          AuthSettings.ALLOW_PLAIN_HTTP);

  private static final List<Setting<?>> INTROSPECTION_ONLY =
      List.of(
          AuthSettings.INTROSPECTION_CLIENT_ID,
          AuthSettings.INTROSPECTION_CLIENT_SECRET,
          AuthSettings.INTROSPECTION_CACHE,
          AuthSettings.INTROSPECTION_CACHE_REFUSED,
          AuthSettings.INTROSPECTION_CACHE_ENTRIES,
          AuthSettings.INTROSPECTION_IN_FLIGHT);

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
    if (config.get(AuthSettings.JWT_DISCOVERY) && config.get(AuthSettings.JWT_ISSUER).isEmpty()) {
      findings.report(
          "is empty, but auth.jwt.discovery needs it",
          "the URL of the issuer",
          AuthSettings.JWT_ISSUER,
          AuthSettings.JWT_DISCOVERY);
    }
  }

  private List<Setting<?>> keySources() {
    List<Setting<?>> sources = new ArrayList<>();
    if (!config.get(AuthSettings.JWT_KEYS).isEmpty()) {
      sources.add(AuthSettings.JWT_KEYS);
    }
    if (!config.get(AuthSettings.JWT_JWKS_URL).isEmpty()) {
      sources.add(AuthSettings.JWT_JWKS_URL);
    }
    if (config.get(AuthSettings.JWT_DISCOVERY)) {
      sources.add(AuthSettings.JWT_DISCOVERY);
    }
    return sources;
  }

  private boolean hasJwt() {
    return !keySources().isEmpty();
  }

  /** Whether there is any way to check a token. */
  private boolean hasTokens() {
    return hasJwt() || !config.get(AuthSettings.INTROSPECTION_URL).isEmpty();
  }

  private void checkJwt() {
    List<String> algorithms = config.get(AuthSettings.JWT_ALGORITHMS);
    if (algorithms.isEmpty() || !AuthSettings.SIGNATURE_ALGORITHMS.containsAll(algorithms)) {
      findings.report(
          algorithms + " are not algorithms that sign with a key pair",
          "some of " + String.join(", ", AuthSettings.SIGNATURE_ALGORITHMS),
          AuthSettings.JWT_ALGORITHMS);
    }
    if (config.get(AuthSettings.JWT_SUBJECT_CLAIM).isEmpty()) {
      findings.report("is empty", "the name of a claim", AuthSettings.JWT_SUBJECT_CLAIM);
    }
    findings.ordered(AuthSettings.JWT_REFRESH_MIN, "more than", AuthSettings.JWT_REFRESH, 0);
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
    String url = config.get(AuthSettings.INTROSPECTION_URL);
    if (url.isEmpty()) {
      for (Setting<?> setting : INTROSPECTION_ONLY) {
        findings.needless(setting, "auth.introspection.url", "a URL there");
      }
    } else if (config.get(AuthSettings.INTROSPECTION_CLIENT_ID).isEmpty()) {
      findings.report(
          "is empty, but auth.introspection.url needs it",
          "the name that the issuer knows this node by",
          AuthSettings.INTROSPECTION_CLIENT_ID,
          AuthSettings.INTROSPECTION_URL);
    }
  }

  private void checkIssuerAddresses() {
    checkIssuerAddress(AuthSettings.JWT_JWKS_URL);
    checkIssuerAddress(AuthSettings.INTROSPECTION_URL);
    if (config.get(AuthSettings.JWT_DISCOVERY)) {
      checkIssuerAddress(AuthSettings.JWT_ISSUER);
    }
  }

  private void checkIssuerAddress(Setting<String> setting) {
    String url = config.get(setting);
    if (url.isEmpty()) {
      return;
    }
    String problem = IssuerUrl.problem(url, config.get(AuthSettings.ALLOW_PLAIN_HTTP));
    if (problem != null) {
      findings.report(problem, IssuerUrl.EXPECTED, setting, AuthSettings.ALLOW_PLAIN_HTTP);
    }
  }
}
