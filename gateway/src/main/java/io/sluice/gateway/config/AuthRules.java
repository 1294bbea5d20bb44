package io.sluice.gateway.config;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Validation rules for the settings of authentication by token and by Kerberos ticket. Used once,
 * by one thread.
 */
final class AuthRules {
  private static final String KEY_SOURCES = "one of auth.jwt.keys and auth.jwt.jwks-url";

  private static final String ANY_KEY_SOURCE =
      "auth.jwt.keys, auth.jwt.jwks-url, or the issuer's https URL in auth.jwt.issuer";

  private static final List<Setting<?>> JWT_ONLY =
      List.of(AuthSettings.JWT_ALGORITHMS, AuthSettings.JWT_REQUIRE_EXPIRY);

  private static final List<Setting<?>> TOKENS_ONLY =
      List.of(
          AuthSettings.JWT_ISSUER,
          AuthSettings.JWT_AUDIENCE,
          AuthSettings.JWT_SUBJECT_CLAIM,
          AuthSettings.TRUST,
          AuthSettings.ALLOW_PLAIN_HTTP);

  private static final List<Setting<?>> INTROSPECTION_ONLY =
      List.of(
          AuthSettings.INTROSPECTION_CLIENT_ID,
          AuthSettings.INTROSPECTION_CLIENT_SECRET,
          AuthSettings.INTROSPECTION_CACHE);

  private static final Pattern PRINCIPAL = Pattern.compile("[^\\s@\\\\]+@[^\\s@/\\\\]+");
  private static final Pattern REALM = Pattern.compile("[^\\s@/\\\\*]+");

  private static final String CHALLENGE_PARAMETER = "auth";

  private static final List<Setting<?>> TICKETS_ONLY =
      List.of(
          AuthSettings.KERBEROS_PRINCIPAL,
          AuthSettings.KERBEROS_REALMS,
          AuthSettings.KERBEROS_LOCAL_REALM,
          AuthSettings.KERBEROS_LOWER_CASE);

  private final ConfigFindings findings;
  private final Config config;

  AuthRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    checkKeySources();
    checkJwt();
    checkIntrospection();
    checkIssuerAddresses();
    checkKerberos();
  }

  // With two sources, removing a key from one of them would not revoke it.
  private void checkKeySources() {
    if (!config.get(AuthSettings.JWT_KEYS).isEmpty()
        && !config.get(AuthSettings.JWT_JWKS_URL).isEmpty()) {
      findings.report(
          "is set together with auth.jwt.jwks-url",
          KEY_SOURCES,
          AuthSettings.JWT_KEYS,
          AuthSettings.JWT_JWKS_URL);
    }
  }

  private void checkJwt() {
    List<String> algorithms = config.get(AuthSettings.JWT_ALGORITHMS);
    if (algorithms.isEmpty()) {
      reportAlgorithms("is empty");
    }
    for (String algorithm : algorithms) {
      if (!AuthSettings.SIGNATURE_ALGORITHMS.contains(algorithm)) {
        reportAlgorithms(
            ValueText.quote(algorithm) + " is not a supported asymmetric signature algorithm");
      }
    }
    if (config.get(AuthSettings.JWT_SUBJECT_CLAIM).isEmpty()) {
      findings.report("is empty", "the name of a claim", AuthSettings.JWT_SUBJECT_CLAIM);
    }
    if (!AuthSettings.acceptsJwts(config)) {
      for (Setting<?> setting : JWT_ONLY) {
        findings.reportNoEffect(setting, "keys for JWTs", ANY_KEY_SOURCE);
      }
    }
    if (!AuthSettings.acceptsTokens(config)) {
      for (Setting<?> setting : TOKENS_ONLY) {
        findings.reportNoEffect(
            setting, "token authentication", ANY_KEY_SOURCE + ", or auth.introspection.url");
      }
    }
  }

  private void reportAlgorithms(String problem) {
    findings.report(
        problem,
        "one or more of " + String.join(", ", AuthSettings.SIGNATURE_ALGORITHMS),
        AuthSettings.JWT_ALGORITHMS);
  }

  private void checkIntrospection() {
    String url = config.get(AuthSettings.INTROSPECTION_URL);
    if (url.isEmpty()) {
      for (Setting<?> setting : INTROSPECTION_ONLY) {
        findings.reportNoEffect(
            setting, "auth.introspection.url", "the URL of the issuer's introspection endpoint");
      }
    } else if (config.get(AuthSettings.INTROSPECTION_CLIENT_ID).isEmpty()) {
      findings.report(
          "is empty, but auth.introspection.url needs it",
          "the client id of this node at the issuer",
          AuthSettings.INTROSPECTION_CLIENT_ID,
          AuthSettings.INTROSPECTION_URL);
    }
  }

  private void checkIssuerAddresses() {
    checkIssuerAddress(AuthSettings.JWT_JWKS_URL);
    checkIssuerAddress(AuthSettings.INTROSPECTION_URL);
    if (AuthSettings.discoversKeys(config)) {
      checkIssuerAddress(AuthSettings.JWT_ISSUER);
    }
  }

  private void checkIssuerAddress(Setting<String> setting) {
    String url = config.get(setting);
    if (url.isEmpty()) {
      return;
    }
    String problem = ServiceUrl.issuerProblem(url, config.get(AuthSettings.ALLOW_PLAIN_HTTP));
    if (problem != null) {
      findings.report(problem, ServiceUrl.ISSUER_EXPECTED, setting, AuthSettings.ALLOW_PLAIN_HTTP);
    }
  }

  private void checkKerberos() {
    if (config.get(AuthSettings.KERBEROS_KEYTAB).isEmpty()) {
      TICKETS_ONLY.forEach(this::reportNoEffectWithoutKeytab);
      return;
    }
    checkPrincipals();
    checkRealms();
    checkChallengeParameter();
  }

  /** Checks that the URL parameter for tokens is not the one that requests a challenge. */
  private void checkChallengeParameter() {
    if (config.get(AuthSettings.QUERY_PARAMETER).equals(CHALLENGE_PARAMETER)) {
      findings.report(
          "is reserved for requests of a Kerberos challenge (auth=negotiate)",
          "another name",
          AuthSettings.QUERY_PARAMETER);
    }
  }

  private void reportNoEffectWithoutKeytab(Setting<?> setting) {
    if (findings.isGiven(setting)) {
      findings.report(
          "has no effect without a keytab",
          AuthSettings.KERBEROS_KEYTAB.key(),
          setting,
          AuthSettings.KERBEROS_KEYTAB);
    }
  }

  private void checkPrincipals() {
    List<String> names = config.get(AuthSettings.KERBEROS_PRINCIPAL);
    if (names.isEmpty()) {
      findings.report(
          "is empty, but auth.kerberos.keytab needs it",
          "the name of this service, such as HTTP/gw.example.com@EXAMPLE.COM, or *",
          AuthSettings.KERBEROS_PRINCIPAL,
          AuthSettings.KERBEROS_KEYTAB);
    }
    if (names.equals(List.of("*"))) {
      return;
    }
    for (String name : names) {
      if (!PRINCIPAL.matcher(name).matches()) {
        findings.report(
            ValueText.quote(name) + " is not a name with a realm",
            "a name such as HTTP/gw.example.com@EXAMPLE.COM, or * alone",
            AuthSettings.KERBEROS_PRINCIPAL);
      }
    }
  }

  private void checkRealms() {
    Set<String> realms = realms();
    for (String realm : config.get(AuthSettings.KERBEROS_REALMS)) {
      if (!REALM.matcher(realm).matches()) {
        findings.report(
            ValueText.quote(realm) + " is not a realm",
            "a realm such as EXAMPLE.COM",
            AuthSettings.KERBEROS_REALMS);
      }
    }
    if (config.get(AuthSettings.KERBEROS_REALMS).isEmpty() && realms.contains("*")) {
      findings.report(
          "is empty, but auth.kerberos.principal * names no realm",
          "realms such as [EXAMPLE.COM]",
          AuthSettings.KERBEROS_REALMS,
          AuthSettings.KERBEROS_PRINCIPAL);
      return;
    }
    String local = config.get(AuthSettings.KERBEROS_LOCAL_REALM);
    if (!local.isEmpty() && !realms.isEmpty() && !realms.contains(local)) {
      findings.report(
          ValueText.quote(local) + " is not one of the accepted realms",
          "one of " + String.join(", ", realms),
          AuthSettings.KERBEROS_LOCAL_REALM,
          AuthSettings.KERBEROS_REALMS,
          AuthSettings.KERBEROS_PRINCIPAL);
    }
  }

  /** Returns the realms whose clients are accepted, in configured order. */
  private Set<String> realms() {
    List<String> named = config.get(AuthSettings.KERBEROS_REALMS);
    Set<String> realms = new LinkedHashSet<>(named);
    if (named.isEmpty()) {
      config
          .get(AuthSettings.KERBEROS_PRINCIPAL)
          .forEach(name -> realms.add(name.substring(name.lastIndexOf('@') + 1)));
    }
    return realms;
  }
}
