package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.FoundProblems;
import io.sluice.gateway.config.Problem;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules of Kerberos, of operators' issuer, and the source of an issuer's keys. */
final class AuthRulesTest {
  private static final String KEYTAB = "server.allowed-origins: []\nauth.kerberos.keytab: k\n";
  private static final String SERVICE = "auth.kerberos.principal: [HTTP/gw@A.TEST]\n";

  private static final String OIDC =
      "auth.anonymous: true\nadmin.oidc.issuer: https://id.example.com\n";
  private static final String CLIENT = "admin.oidc.client-id: console\n";
  private static final String ROLES = "admin.oidc.roles: [operator]\n";

  private static List<String> problems(String text) {
    return FoundProblems.of(text, AuthRules::check);
  }

  private static List<String> found(String text) {
    ConfigFindings findings = FoundProblems.reading(text);
    AuthRules.check(findings);
    return findings.problems().stream().map(Problem::toString).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SERVICE,
        SERVICE + "auth.kerberos.local-realm: A.TEST",
        SERVICE + "auth.kerberos.realms: [B.TEST]\nauth.kerberos.local-realm: B.TEST",
        "auth.kerberos.principal: [HTTP/a@A.TEST, HTTP/b@B.TEST]\n"
            + "auth.kerberos.local-realm: B.TEST",
        "auth.kerberos.principal: ['*']\nauth.kerberos.realms: [A.TEST]",
        SERVICE + "auth.anonymous: true",
      })
  void shouldAcceptServiceNamesAndRealms(String text) {
    assertThat(problems(KEYTAB + text)).isEmpty();
  }

  @Test
  void shouldReserveTheChallengeParameter() {
    assertThat(problems(KEYTAB + SERVICE + "auth.query-parameter: auth"))
        .containsExactly(
            "auth.query-parameter: is reserved for requests of a Kerberos challenge"
                + " (auth=negotiate)");
  }

  @Test
  void shouldDiscoverKeysOfAnIssuerThatIsTheOnlySource() {
    Config issuer = Config.defaults().with(AuthSettings.JWT_ISSUER, "https://id.example.com/");
    assertThat(AuthSettings.discoversKeys(issuer)).isTrue();
    for (Config other :
        List.of(
            issuer.with(AuthSettings.JWT_KEYS, List.of("key.pem")),
            issuer.with(AuthSettings.JWT_JWKS_URL, "https://id.example.com/jwks"),
            issuer.with(AuthSettings.INTROSPECTION_URL, "https://id.example.com/ask"),
            issuer.with(AuthSettings.JWT_ISSUER, "id.example.com"))) {
      assertThat(AuthSettings.discoversKeys(other)).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | auth.kerberos.principal: is empty, but auth.kerberos.keytab needs it",
        "[HTTP/gw] | auth.kerberos.principal: \"HTTP/gw\" is not a name with a realm",
        "[HTTP/gw@] | auth.kerberos.principal: \"HTTP/gw@\" is not a name with a realm",
        "[HTTP/gw@A, '*'] | auth.kerberos.principal: \"*\" is not a name with a realm",
        "[HTTP/gw@A@B] | auth.kerberos.principal: \"HTTP/gw@A@B\" is not a name with a realm",
        "['*'] | auth.kerberos.realms: is empty, but auth.kerberos.principal * names no realm",
      })
  void shouldReportInvalidServicePrincipals(String principals, String problem) {
    String text = principals.isEmpty() ? "" : "auth.kerberos.principal: " + principals;
    assertThat(problems(KEYTAB + text)).contains(problem);
  }

  @Test
  void shouldReportInvalidRealms() {
    assertThat(problems(KEYTAB + SERVICE + "auth.kerberos.realms: [a/b]"))
        .containsExactly("auth.kerberos.realms: \"a/b\" is not a realm");
    assertThat(problems(KEYTAB + SERVICE + "auth.kerberos.realms: ['*']"))
        .containsExactly("auth.kerberos.realms: \"*\" is not a realm");
    assertThat(problems(KEYTAB + SERVICE + "auth.kerberos.local-realm: B.TEST"))
        .containsExactly("auth.kerberos.local-realm: \"B.TEST\" is not one of the accepted realms");
  }

  @ParameterizedTest
  @ValueSource(strings = {"principal: [HTTP/gw@A.TEST]", "realms: [A.TEST]", "local-realm: A.TEST"})
  void shouldReportSettingsWithoutEffectWithoutKeytab(String setting) {
    assertThat(problems("auth.anonymous: true\nauth.kerberos." + setting))
        .singleElement()
        .asString()
        .endsWith("has no effect without a keytab");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "auth.trust: ca.pem\nauth.jwt.algorithms: [ES256]",
        "admin.oidc.scopes: [openid, offline_access, 'api://sluice/.default']",
        "admin.oidc.role-claim: https://example.com/roles",
        "admin.host: 0.0.0.0",
      })
  void shouldAcceptTheIssuerOfOperators(String text) {
    assertThat(problems(OIDC + CLIENT + ROLES + text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "admin.oidc.client-id: '' | client-id: is empty, but admin.oidc.issuer needs it",
        "admin.oidc.roles: [] | roles: is empty, but admin.oidc.issuer needs it",
        "admin.oidc.roles: ['*'] | roles: has an entry that is empty or *, and would make any user"
            + " an operator",
        "admin.oidc.role-claim: '' | role-claim: is empty, but admin.oidc.issuer needs it",
        "admin.oidc.subject-claim: '' | subject-claim: is empty, but admin.oidc.issuer needs it",
        "admin.oidc.scopes: [profile] | scopes: does not contain openid",
        "admin.oidc.scopes: [openid, a b] | scopes: \"a b\" is not a scope",
        "admin.oidc.role-claim: a..b | role-claim: \"a..b\" has an empty name before, between or"
            + " after dots",
        "admin.oidc.role-claim: a. | role-claim: \"a.\" has an empty name before, between or after"
            + " dots",
        "admin.oidc.issuer: id.example.com | issuer: has no scheme",
        "admin.oidc.issuer: id.example.com:8443/ops | issuer: has no scheme",
        "admin.oidc.issuer: https:///ops | issuer: has no host, or contains a user name or a"
            + " fragment",
        "admin.oidc.issuer: http://id.example.com | issuer: \"http://id.example.com\" is not https,"
            + " and auth.allow-plain-http is false",
      })
  void shouldReportUnusableSettingsOfOperators(String setting, String problem) {
    String key = setting.substring(0, setting.indexOf(':') + 1);
    String others =
        (OIDC + CLIENT + ROLES)
            .lines()
            .filter(line -> !line.startsWith(key))
            .collect(Collectors.joining("\n"));
    assertThat(problems(others + "\n" + setting)).containsExactly("admin.oidc." + problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {CLIENT, ROLES, "admin.oidc.audience: [a]\n"})
  void shouldReportSettingsWithoutEffectWithoutTheIssuerOfOperators(String setting) {
    assertThat(problems("auth.anonymous: true\n" + setting))
        .containsExactly(
            setting.substring(0, setting.indexOf(':'))
                + ": has no effect without admin.oidc.issuer, which is not set");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "auth.jwt: {keys: [k.pem], jwks-url: 'https://a/'} | auth.jwt.keys: is set together with"
            + " auth.jwt.jwks-url; expected one of auth.jwt.keys and auth.jwt.jwks-url",
        "auth.jwt.issuer: 'https:///x' | auth.jwt.issuer: has no host, or contains a user name or a"
            + " fragment; expected a URL such as https://id.example.com",
        "auth.jwt.issuer: 'http://id.example.com/' | auth.jwt.issuer: \"http://id.example.com/\" is"
            + " not https, and auth.allow-plain-http is false; expected a URL such as"
            + " https://id.example.com",
        "auth.jwt.issuer: me | auth.jwt.issuer: has no effect without token authentication;"
            + " expected auth.jwt.keys, auth.jwt.jwks-url, or the issuer's https URL in"
            + " auth.jwt.issuer, or auth.introspection.url",
        "auth.jwt.jwks-url: 'http://id.example.com/' | auth.jwt.jwks-url:"
            + " \"http://id.example.com/\" is not https, and auth.allow-plain-http is false;"
            + " expected a URL such as https://id.example.com/keys",
        "auth.jwt.jwks-url: 'ftp://localhost/' | auth.jwt.jwks-url: \"ftp://localhost/\" is not"
            + " https; expected a URL such as https://id.example.com/keys",
        "auth.jwt: {keys: [k.pem], algorithms: [HS256]} | auth.jwt.algorithms: \"HS256\" is not a"
            + " supported asymmetric signature algorithm; expected one or more of RS256, RS384,"
            + " RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA",
        "auth.jwt: {keys: [k.pem], algorithms: []} | auth.jwt.algorithms: is empty; expected one or"
            + " more of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA",
        "auth.jwt: {keys: [k.pem], subject-claim: ''} | auth.jwt.subject-claim: is empty; expected"
            + " the name of a claim",
        "auth.jwt.require-expiry: false | auth.jwt.require-expiry: has no effect without keys for"
            + " JWTs; expected auth.jwt.keys, auth.jwt.jwks-url, or the issuer's https URL in"
            + " auth.jwt.issuer",
        "auth.jwt.audience: [a] | auth.jwt.audience: has no effect without token authentication;"
            + " expected auth.jwt.keys, auth.jwt.jwks-url, or the issuer's https URL in"
            + " auth.jwt.issuer, or auth.introspection.url",
        "auth.introspection.client-secret: s | auth.introspection.client-secret: has no effect"
            + " without auth.introspection.url, which is not set; expected auth.introspection.url"
            + " with the URL of the issuer's introspection endpoint",
        "auth.introspection.url: 'https://a/' | auth.introspection.client-id: is empty, but"
            + " auth.introspection.url needs it; expected the client id of this node at the issuer",
      })
  void shouldReportProblemsBetweenSettings(String text, String problem) {
    assertThat(found(text)).singleElement().asString().startsWith("f:1:").endsWith(problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "auth.jwt.jwks-url: 'http://127.0.0.1:8080/keys'",
        "auth.jwt.jwks-url: 'http://[::1]/keys'",
        "auth: {allow-plain-http: true, jwt.jwks-url: 'http://id.example.com/keys'}",
        "auth: {jwt.keys: [k], introspection: {url: 'https://a/', client-id: n}}",
      })
  void shouldAcceptUrls(String text) {
    assertThat(found(text)).isEmpty();
  }
}
