package io.sluice.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.FoundProblems;
import io.sluice.gateway.config.Problem;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsIdentityTest {
  @TempDir private static Path folder;

  private static TestCertificate ec;
  private static TestCertificate rsa;

  @BeforeAll
  static void create() {
    ec = TestCertificate.create(folder, "ec", "EC");
    rsa = TestCertificate.create(folder, "rsa", "RSA");
  }

  private static KeyPairOptions options(Path certificate, Path key) {
    return KeyPairOptions.ofClients(
        Config.defaults()
            .with(ServerSettings.TLS_CERTIFICATE, certificate.toString())
            .with(ServerSettings.TLS_KEY, key.toString()));
  }

  private static void assertRefused(Path certificate, Path key, String message) {
    assertThatThrownBy(() -> TlsIdentity.read(options(certificate, key)))
        .isInstanceOf(UnusableTls.class)
        .hasMessage(message);
  }

  private static Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void shouldBeOffByDefault() throws Exception {
    assertThat(TlsIdentity.read(KeyPairOptions.ofClients(Config.defaults()))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void shouldReadACertificateAndItsKey(String kind) throws Exception {
    TestCertificate made = kind.equals("EC") ? ec : rsa;
    TlsIdentity read = TlsIdentity.read(options(made.certificate(), made.key())).orElseThrow();
    assertThat(read.chain()).hasSize(1);
    assertThat(read.key().getAlgorithm()).isEqualTo(kind);
  }

  @Test
  void shouldReadAChainWithCommentsAndOneFileForBoth() throws Exception {
    Path all =
        file(
            "all.pem",
            "subject=CN = x - y\r\n"
                + Files.readString(ec.certificate()).replace("\n", "\r\n")
                + "\n# and its issuer\n"
                + Files.readString(rsa.certificate())
                + Files.readString(ec.key()));
    assertThat(TlsIdentity.read(options(all, all)).orElseThrow().chain()).hasSize(2);
  }

  @Test
  void shouldReportBothSettingsIfOneIsMissing() {
    Config one = Config.defaults().with(ServerSettings.TLS_KEY, "key.pem");
    assertThatThrownBy(() -> TlsIdentity.read(KeyPairOptions.ofClients(one)))
        .hasMessage("server.tls.key: needs server.tls.certificate as well");
    Config other = Config.defaults().with(ServerSettings.TLS_CERTIFICATE, "c.pem");
    assertThatThrownBy(() -> TlsIdentity.read(KeyPairOptions.ofClients(other)))
        .hasMessage("server.tls.certificate: needs server.tls.key as well");
  }

  @Test
  void shouldReportUnreadableFiles() throws Exception {
    Path none = folder.resolve("none.pem");
    assertRefused(none, ec.key(), "server.tls.certificate: " + none + " does not exist");
    assertRefused(ec.certificate(), none, "server.tls.key: " + none + " does not exist");
    assertRefused(folder, ec.key(), "server.tls.certificate: " + folder + " is a folder");
    Path large = Files.write(folder.resolve("large"), new byte[PemFile.MAX_BYTES + 1]);
    assertRefused(
        ec.certificate(), large, "server.tls.key: " + large + " has more than 1048576 bytes");
  }

  @Test
  void shouldReportAnInvalidCertificate() throws Exception {
    Path text = file("text", "no PEM at all");
    assertRefused(
        text,
        ec.key(),
        "server.tls.certificate: "
            + text
            + " holds no PEM certificate (-----BEGIN CERTIFICATE-----)");
    Path broken = file("broken", Files.readString(ec.certificate()).replace("MII", "M!I"));
    assertRefused(
        broken,
        ec.key(),
        "server.tls.certificate: " + broken + " has a block CERTIFICATE that is not base64");
    Path cut = TestCertificate.write(folder.resolve("cut"), "CERTIFICATE", new byte[] {0x30, 3, 2});
    assertThatThrownBy(() -> TlsIdentity.read(options(cut, ec.key())))
        .isInstanceOf(UnusableTls.class)
        .hasMessageStartingWith(
            "server.tls.certificate: " + cut + " holds a malformed certificate: ");
  }

  @Test
  void shouldReportAnInvalidKey() throws Exception {
    assertRefused(
        ec.certificate(),
        ec.certificate(),
        "server.tls.key: "
            + ec.certificate()
            + " holds no PEM private key (-----BEGIN PRIVATE KEY-----)");
    Path older = TestCertificate.write(folder.resolve("older"), "RSA PRIVATE KEY", new byte[9]);
    assertRefused(
        ec.certificate(),
        older,
        "server.tls.key: "
            + older
            + " is not PKCS#8; 'openssl pkcs8 -topk8 -nocrypt -in FILE' converts it");
    Path locked =
        TestCertificate.write(folder.resolve("locked"), "ENCRYPTED PRIVATE KEY", new byte[9]);
    assertRefused(
        ec.certificate(),
        locked,
        "server.tls.key: " + locked + " is encrypted; 'openssl pkcs8 -in FILE' decrypts it");
    Path cut = TestCertificate.write(folder.resolve("cut"), "PRIVATE KEY", new byte[] {0x30, 3});
    assertRefused(
        ec.certificate(),
        cut,
        "server.tls.key: " + cut + " holds a private key that is malformed, or neither RSA nor EC");
    Path two = file("two", Files.readString(ec.key()) + Files.readString(rsa.key()));
    assertRefused(
        ec.certificate(), two, "server.tls.key: " + two + " holds 2 private keys, not one");
  }

  @Test
  void shouldRejectAKeyOfAnotherCertificate() throws Exception {
    byte[] other = KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate().getEncoded();
    Path ofSameKind = TestCertificate.write(folder.resolve("other"), "PRIVATE KEY", other);
    for (Path key : List.of(ofSameKind, rsa.key())) {
      assertRefused(
          ec.certificate(),
          key,
          "server.tls.key: "
              + key
              + " does not belong to the first certificate of "
              + ec.certificate());
    }
  }

  @Test
  void shouldReportProblemsWithTheirPositionInAFile() {
    Path none = folder.resolve("none.pem");
    assertThat(problems("server:\n  tls:\n    certificate: c.pem\n"))
        .containsExactly("f:3:18: server.tls.certificate: needs server.tls.key as well");
    assertThat(problems("server.tls: {certificate: " + ec.certificate() + ", key: " + none + "}"))
        .singleElement()
        .asString()
        .startsWith("f:1:")
        .endsWith(": server.tls.key: " + none + " does not exist");
    assertThat(problems("server.tls.client-ca: ca.pem"))
        .containsExactly(
            "f:1:23: server.tls.client-ca: has no effect without a certificate; expected"
                + " server.tls.certificate and server.tls.key");
    assertThat(
            problems("server.tls: {certificate: " + ec.certificate() + ", key: " + ec.key() + "}"))
        .isEmpty();
  }

  @Test
  void shouldReportUnusableAuthoritiesOfAdminPorts() {
    assertThat(problems("admin.tls.ca: " + ec.certificate())).isEmpty();
    assertThat(problems("admin.tls.ca: absent.pem"))
        .singleElement()
        .asString()
        .contains("admin.tls.ca: absent.pem does not exist");
    assertThat(problems("admin.tls.ca: " + ec.key()))
        .singleElement()
        .asString()
        .contains("holds no PEM certificate");
  }

  private static List<String> problems(String text) {
    ConfigFindings findings = FoundProblems.reading(text);
    TlsRules.check(findings);
    return findings.problems().stream().map(Problem::toString).toList();
  }
}
