package io.sluice.gateway.auth;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.ValueText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Validation rules for the settings of authentication by token and by Kerberos ticket, of clients
 * and of operators. Used once, by one thread.
 */
public final class AuthRules {
  private static final String KEYS = "keys for JWTs";
  private static final String KEY_SOURCES = "one of auth.jwt.keys and auth.jwt.jwks-url";

  private static final String ANY_KEY_SOURCE =
      "auth.jwt.keys, auth.jwt.jwks-url, or the issuer's https URL in auth.jwt.issuer";

  private static final List<Setting<?>> TOKENS_ONLY =
      List.of(AuthSettings.JWT_ISSUER, AuthSettings.JWT_AUDIENCE, AuthSettings.JWT_SUBJECT_CLAIM);

  /** Settings of requests to issuers, also that of operators. */
  private static final List<Setting<?>> ISSUERS_ONLY =
      List.of(AuthSettings.TRUST, AuthSettings.ALLOW_PLAIN_HTTP);

  private static final List<Setting<?>> OIDC_ONLY =
      List.of(
          AdminSettings.OIDC_CLIENT_ID,
          AdminSettings.OIDC_AUDIENCE,
          AdminSettings.OIDC_SCOPES,
          AdminSettings.OIDC_SUBJECT_CLAIM,
          AdminSettings.OIDC_ROLE_CLAIM,
          AdminSettings.OIDC_ROLES);

  /** Characters of a scope (RFC 6749, section 3.3). */
  private static final Pattern SCOPE = Pattern.compile("[!#-\\[\\]-~]+");

  private static final Pattern EMPTY_PART = Pattern.compile("^\\.|\\.\\.|\\.$");

  private static final String OPENID = "openid";
  private static final String NEEDED_BY_OIDC = "is empty, but admin.oidc.issuer needs it";
  private static final String ROLES_EXPECTED = "names of roles, such as [sluice-operator]";
  private static final String SCOPES_EXPECTED = "a list such as [openid, profile]";

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

  private AuthRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports all violations of the rules. */
  public static void check(ConfigFindings findings) {
    new AuthRules(findings).check();
  }

  private void check() {
    checkKeySources();
    checkJwt();
    checkIntrospection();
    checkIssuerAddresses();
    checkOperators();
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
    boolean operators = !config.get(AdminSettings.OIDC_ISSUER).isEmpty();
    if (!AuthSettings.acceptsJwts(config)) {
      findings.reportNoEffect(AuthSettings.JWT_REQUIRE_EXPIRY, KEYS, ANY_KEY_SOURCE);
      if (!operators) {
        findings.reportNoEffect(AuthSettings.JWT_ALGORITHMS, KEYS, ANY_KEY_SOURCE);
      }
    }
    if (!AuthSettings.acceptsTokens(config)) {
      TOKENS_ONLY.forEach(this::reportNoEffectWithoutTokens);
      if (!operators) {
        ISSUERS_ONLY.forEach(this::reportNoEffectWithoutTokens);
      }
    }
  }

  private void reportNoEffectWithoutTokens(Setting<?> setting) {
    findings.reportNoEffect(
        setting, "token authentication", ANY_KEY_SOURCE + ", or auth.introspection.url");
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
            setting,
            AuthSettings.INTROSPECTION_URL,
            "the URL of the issuer's introspection endpoint");
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
    checkIssuerAddress(AuthSettings.JWT_JWKS_URL, "/keys");
    checkIssuerAddress(AuthSettings.INTROSPECTION_URL, "/introspect");
    if (AuthSettings.discoversKeys(config)) {
      checkIssuerAddress(AuthSettings.JWT_ISSUER, "");
    }
  }

  /**
   * @param path path of the URL in the example of a valid one
   */
  private void checkIssuerAddress(Setting<String> setting, String path) {
    String url = config.get(setting);
    if (url.isEmpty()) {
      return;
    }
    String problem = ServiceUrl.issuerProblem(url, config.get(AuthSettings.ALLOW_PLAIN_HTTP));
    if (problem != null) {
      String expected = "a URL such as https://id.example.com" + path;
      findings.report(problem, expected, setting, AuthSettings.ALLOW_PLAIN_HTTP);
    }
  }

  private void checkOperators() {
    if (config.get(AdminSettings.OIDC_ISSUER).isEmpty()) {
      for (Setting<?> setting : OIDC_ONLY) {
        findings.reportNoEffect(
            setting, AdminSettings.OIDC_ISSUER, "the URL of an OpenID Connect issuer");
      }
      return;
    }
    checkIssuerAddress(AdminSettings.OIDC_ISSUER, "");
    requireForOperators(AdminSettings.OIDC_CLIENT_ID, "the client id of the console at the issuer");
    requireForOperators(AdminSettings.OIDC_SUBJECT_CLAIM, "the name of a claim");
    requireForOperators(AdminSettings.OIDC_ROLE_CLAIM, "the name of a claim");
    checkRoleClaim();
    checkOperatorRoles();
    checkScopes();
  }

  private void checkRoleClaim() {
    String claim = config.get(AdminSettings.OIDC_ROLE_CLAIM);
    if (!claim.isEmpty() && EMPTY_PART.matcher(claim).find()) {
      findings.report(
          ValueText.quote(claim) + " has an empty name before, between or after dots",
          "a name such as realm_access.roles or https://example.com/roles",
          AdminSettings.OIDC_ROLE_CLAIM);
    }
  }

  private void requireForOperators(Setting<String> setting, String expected) {
    if (config.get(setting).isEmpty()) {
      findings.report(NEEDED_BY_OIDC, expected, setting, AdminSettings.OIDC_ISSUER);
    }
  }

  private void checkOperatorRoles() {
    List<String> roles = config.get(AdminSettings.OIDC_ROLES);
    if (roles.isEmpty()) {
      findings.report(
          NEEDED_BY_OIDC, ROLES_EXPECTED, AdminSettings.OIDC_ROLES, AdminSettings.OIDC_ISSUER);
    } else if (roles.contains(PermissionRule.ANY) || roles.contains("")) {
      findings.report(
          "has an entry that is empty or *, and would make any user an operator",
          ROLES_EXPECTED,
          AdminSettings.OIDC_ROLES);
    }
  }

  private void checkScopes() {
    List<String> scopes = config.get(AdminSettings.OIDC_SCOPES);
    if (!scopes.contains(OPENID)) {
      findings.report("does not contain openid", SCOPES_EXPECTED, AdminSettings.OIDC_SCOPES);
    }
    for (String scope : scopes) {
      if (!SCOPE.matcher(scope).matches()) {
        findings.report(
            ValueText.quote(scope) + " is not a scope", SCOPES_EXPECTED, AdminSettings.OIDC_SCOPES);
      }
    }
  }

  private void checkKerberos() {
    if (config.get(AuthSettings.KERBEROS_KEYTAB).isEmpty()) {
      String keytab = AuthSettings.KERBEROS_KEYTAB.key();
      TICKETS_ONLY.forEach(each -> findings.reportNoEffect(each, "a keytab", keytab));
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
