package io.sluice.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.FoundProblems;
import io.sluice.gateway.config.Problem;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.tls.TlsFiles.ClientTrust;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TlsFilesTest {
  @TempDir private static Path folder;

  private static TestAuthority authority;
  private static Issued first;
  private static Issued brief;

  @BeforeAll
  static void create() {
    authority = TestAuthority.create(folder, "authority");
    first = authority.issue("first", "CN=first");
    brief = authority.issue("brief", "CN=brief", "EC", List.of("-validity", "3"));
  }

  private static Config config() {
    return Config.defaults()
        .with(ServerSettings.TLS_CERTIFICATE, first.certificate().toString())
        .with(ServerSettings.TLS_KEY, first.key().toString());
  }

  private static Config asking() {
    return config()
        .with(ServerSettings.TLS_CLIENT_AUTH, "optional")
        .with(ServerSettings.TLS_CLIENT_CA, authority.certificate().toString());
  }

  private static String pair(Issued certificate) {
    return certificate.certificate() + " = " + certificate.key();
  }

  private static void assertRefused(Config config, String message) {
    assertThatThrownBy(() -> TlsFiles.read(TlsOptions.of(config)))
        .isInstanceOf(UnusableTls.class)
        .hasMessage(message);
  }

  @Test
  void shouldReadFurtherPairs() throws Exception {
    Config config = config().with(ServerSettings.TLS_CERTIFICATES, List.of(pair(brief)));
    TlsFiles files = TlsFiles.read(TlsOptions.of(config)).orElseThrow();
    assertThat(files.identities()).hasSize(2);
    assertThat(files.certificateEnds())
        .as("of the first that ends")
        .isBetween(Instant.now(), Instant.now().plus(3, ChronoUnit.DAYS));
    assertThat(TlsOptions.of(config).files())
        .containsExactly(
            first.certificate().toString(),
            first.key().toString(),
            brief.certificate().toString(),
            brief.key().toString());
  }

  @Test
  void shouldReportAnInvalidPair() {
    for (String wrong : List.of("a.pem", "a.pem=", "=a.key", "a=b=c")) {
      assertRefused(
          config().with(ServerSettings.TLS_CERTIFICATES, List.of(wrong)),
          "server.tls.certificates: \""
              + wrong
              + "\" is not a pair of files certificate.pem=key.pem");
    }
    String mixed = brief.certificate() + "=" + first.key();
    assertRefused(
        config().with(ServerSettings.TLS_CERTIFICATES, List.of(mixed)),
        "server.tls.certificates: "
            + first.key()
            + " does not belong to the first certificate of "
            + brief.certificate());
  }

  @Test
  void shouldReadTheAuthoritiesOfClients() throws Exception {
    assertThat(TlsFiles.read(TlsOptions.of(config())).orElseThrow().clients()).isEmpty();
    ClientTrust trust =
        TlsFiles.read(TlsOptions.of(asking())).orElseThrow().clients().orElseThrow();
    assertThat(trust.required()).isFalse();
    assertThat(trust.authorities()).hasSize(1);
    assertThat(trust.revoked()).isEmpty();
  }

  @Test
  void shouldReadRevocationListsInPemAndDer() throws Exception {
    Path pem = folder.resolve("list.pem");
    authority.revoke(pem, brief);
    String text = Files.readString(pem);
    Path der =
        Files.write(
            folder.resolve("list.der"),
            Base64.getMimeDecoder().decode(text.replaceAll("-----.*-----", "")));
    Path two = Files.writeString(folder.resolve("two.pem"), text + text);
    assertThat(revoked(pem)).isEqualTo(1);
    assertThat(revoked(der)).isEqualTo(1);
    assertThat(revoked(two)).isEqualTo(2);
  }

  private static int revoked(Path list) throws UnusableTls {
    Config config = asking().with(ServerSettings.TLS_CLIENT_CRL, list.toString());
    TlsFiles files = TlsFiles.read(TlsOptions.of(config)).orElseThrow();
    assertThat(files.revocationsEnd())
        .get(InstanceOfAssertFactories.INSTANT)
        .isAfter(Instant.now());
    return files.clients().orElseThrow().revoked().size();
  }

  @Test
  void shouldReportInvalidFilesForClients() throws IOException {
    assertRefused(
        config().with(ServerSettings.TLS_CLIENT_AUTH, "required"),
        "server.tls.client-auth: needs server.tls.client-ca");
    assertRefused(
        Config.defaults().with(ServerSettings.TLS_CLIENT_AUTH, "required"),
        "server.tls.client-auth: needs server.tls.certificate and server.tls.key");
    assertRefused(
        asking().with(ServerSettings.TLS_CLIENT_CA, first.key().toString()),
        "server.tls.client-ca: "
            + first.key()
            + " holds no PEM certificate (-----BEGIN CERTIFICATE-----)");
    Path text = Files.writeString(folder.resolve("text"), "no list");
    assertRefused(
        asking().with(ServerSettings.TLS_CLIENT_CRL, text.toString()),
        "server.tls.client-crl: "
            + text
            + " holds no revocation list (PEM, -----BEGIN X509 CRL-----, or DER)");
  }

  @Test
  void shouldReportSettingsWithoutEffect() {
    assertThat(problems("server.tls.client-crl: list.pem"))
        .containsExactly(
            "server.tls.client-crl: has no effect without a certificate; expected"
                + " server.tls.certificate and server.tls.key");
    assertThat(
            problems(
                "server.tls: {certificate: %s, key: %s, client-ca: %s}"
                    .formatted(first.certificate(), first.key(), authority.certificate())))
        .containsExactly(
            "server.tls.client-ca: has no effect without client certificates; expected"
                + " server.tls.client-auth optional or required");
  }

  @Test
  void shouldReportHstsWithoutACertificate() {
    assertThat(problems("server.hsts: 1h"))
        .containsExactly(
            "server.hsts: has no effect without TLS; expected server.tls.certificate and"
                + " server.tls.key");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ca: ca.pem | cluster.tls.ca: needs cluster.tls.certificate as well",
        "certificate: c.pem | cluster.tls.certificate: needs cluster.tls.key as well",
      })
  void shouldReportMissingFilesForOtherNodes(String tls, String problem) {
    assertThat(problems("cluster: {name: live, nodes: ['a:1'], tls: {" + tls + "}}"))
        .containsExactly(problem);
  }

  private static List<String> problems(String text) {
    ConfigFindings findings = FoundProblems.reading(text);
    TlsRules.check(findings);
    return findings.problems().stream()
        .map(Problem::toString)
        .map(problem -> problem.replaceFirst("^f:\\d+:\\d+: ", ""))
        .toList();
  }
}
