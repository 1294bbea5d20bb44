package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.TestAuthority;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CertificatesTest {
  @TempDir private static Path folder;

  private static X509Certificate full;
  private static X509Certificate bare;

  @BeforeAll
  static void create() throws Exception {
    TestAuthority authority = TestAuthority.create(folder, "Authority");
    full =
        read(
            authority
                .issue(
                    "full",
                    "CN=alice,CN=people,O=Example",
                    "SAN=email:a@example.com,email:b@example.com,dns:a.example.com,"
                        + "uri:spiffe://example.com/a")
                .certificate());
    bare = read(authority.issue("bare", "O=Example").certificate());
  }

  private static X509Certificate read(Path file) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  private static Principal authenticate(String nameFrom, X509Certificate certificate)
      throws Exception {
    Config config =
        Config.defaults()
            .with(ServerSettings.TLS_CLIENT_AUTH, "required")
            .with(AuthSettings.CERTIFICATE_NAME, nameFrom);
    return Certificates.of(AuthOptions.of(config).certificateName())
        .authenticate(new Credential.Certificate(List.of(certificate)), "")
        .toCompletableFuture()
        .get();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "subject | CN=alice,CN=people,O=Example",
        "cn | alice",
        "email | a@example.com",
        "dns | a.example.com",
        "uri | spiffe://example.com/a"
      })
  void shouldReadTheNameFromTheConfiguredPart(String from, String name) throws Exception {
    Principal principal = authenticate(from, full);
    assertThat(principal.name()).isEqualTo(name);
    assertThat(principal.claims()).containsEntry("sub", name);
  }

  @Test
  void shouldExposeTheOtherPartsAsClaims() throws Exception {
    Principal principal = authenticate("cn", full);
    String serial = full.getSerialNumber().toString(16);
    assertThat(principal.mechanism()).isEqualTo(Principal.Mechanism.CERTIFICATE);
    assertThat(principal.tokenId()).isEqualTo(serial);
    assertThat(principal.issuedMs()).isEqualTo(full.getNotBefore().getTime());
    assertThat(principal.expiresMs()).isEqualTo(full.getNotAfter().getTime());
    assertThat(principal.claims())
        .containsEntry("subject", "CN=alice,CN=people,O=Example")
        .containsEntry("issuer", "CN=Authority")
        .containsEntry("serial", serial)
        .containsEntry("cn", List.of("alice", "people"))
        .containsEntry("email", List.of("a@example.com", "b@example.com"))
        .containsEntry("dns", List.of("a.example.com"))
        .containsEntry("uri", List.of("spiffe://example.com/a"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cn", "email", "dns", "uri"})
  void shouldRefuseACertificateWithoutThatName(String from) {
    assertThatThrownBy(() -> authenticate(from, bare))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            AuthenticationFailure.class,
            failure -> assertThat(failure.reason()).isEqualTo(AuthenticationFailure.Reason.REFUSED))
        .hasMessage("the certificate has no " + from + " to use as the client's name");
  }

  @Test
  void shouldFindTheNameInAMultiValuedRdn() throws Exception {
    X509Certificate certificate =
        read(
            TestAuthority.create(folder, "Other")
                .issue("beside", "OU=x+CN=alice,CN=people")
                .certificate());
    assertThat(authenticate("cn", certificate).name()).isEqualTo("alice");
  }

  @Test
  void shouldAcceptNoCertificatesWithoutClientAuthentication() {
    assertThat(Certificates.of(AuthOptions.of(Config.defaults()).certificateName())).isNull();
  }
}
