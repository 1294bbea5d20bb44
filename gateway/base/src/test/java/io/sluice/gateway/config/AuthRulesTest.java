package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

  @TempDir private Path folder;

  private List<String> problems(String text) throws IOException {
    return FoundProblems.of(folder, text);
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
  void shouldAcceptServiceNamesAndRealms(String text) throws IOException {
    assertThat(problems(KEYTAB + text)).isEmpty();
  }

  @Test
  void shouldReserveTheChallengeParameter() throws IOException {
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
  void shouldReportInvalidServicePrincipals(String principals, String problem) throws IOException {
    String text = principals.isEmpty() ? "" : "auth.kerberos.principal: " + principals;
    assertThat(problems(KEYTAB + text)).contains(problem);
  }

  @Test
  void shouldReportInvalidRealms() throws IOException {
    assertThat(problems(KEYTAB + SERVICE + "auth.kerberos.realms: [a/b]"))
        .containsExactly("auth.kerberos.realms: \"a/b\" is not a realm");
    assertThat(problems(KEYTAB + SERVICE + "auth.kerberos.realms: ['*']"))
        .containsExactly("auth.kerberos.realms: \"*\" is not a realm");
    assertThat(problems(KEYTAB + SERVICE + "auth.kerberos.local-realm: B.TEST"))
        .containsExactly("auth.kerberos.local-realm: \"B.TEST\" is not one of the accepted realms");
  }

  @Test
  void shouldRejectTicketsFromAnyOrigin() throws IOException {
    String text = KEYTAB.replace("[]", "['*']") + SERVICE;
    assertThat(problems(text))
        .singleElement()
        .asString()
        .contains("allows any page to connect with a visitor's ticket");
  }

  @ParameterizedTest
  @ValueSource(strings = {"principal: [HTTP/gw@A.TEST]", "realms: [A.TEST]", "local-realm: A.TEST"})
  void shouldReportSettingsWithoutEffectWithoutKeytab(String setting) throws IOException {
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
  void shouldAcceptTheIssuerOfOperators(String text) throws IOException {
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
  void shouldReportUnusableSettingsOfOperators(String setting, String problem) throws IOException {
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
  void shouldReportSettingsWithoutEffectWithoutTheIssuerOfOperators(String setting)
      throws IOException {
    assertThat(problems("auth.anonymous: true\n" + setting))
        .containsExactly(
            setting.substring(0, setting.indexOf(':'))
                + ": has no effect without admin.oidc.issuer, which is not set");
  }
}
