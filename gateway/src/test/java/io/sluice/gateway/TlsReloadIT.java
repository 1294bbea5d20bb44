package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the presented certificate: the newest, and that of the host, with each engine. */
@Timeout(180)
final class TlsReloadIT {
  private static final String HERE = "SAN=ip:127.0.0.1";

  @TempDir private static Path folder;
  @TempDir private Path current;

  private static TestAuthority authority;
  private static Issued first;
  private static Issued second;
  private static Issued wild;
  private static Issued rsa;

  private Path certificate;
  private Path key;

  @BeforeAll
  static void create() {
    authority = TestAuthority.create(folder, "authority");
    first = authority.issue("first", "CN=first", HERE);
    second = authority.issue("second", "CN=second", HERE + ",dns:b.example.com");
    wild = authority.issue("wild", "CN=wild", HERE + ",dns:*.Example.com");
    rsa = authority.issue("rsa", "CN=rsa", "RSA", List.of(), HERE + ",dns:rsa.example.com");
  }

  @BeforeEach
  void copyFirst() throws IOException {
    certificate = Files.copy(first.certificate(), current.resolve("certificate.pem"));
    key = Files.copy(first.key(), current.resolve("key.pem"));
  }

  // Nothing listens there: all of this goes without a broker.
  private static Config config(String engine, Path certificate, Path key) {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(ServerSettings.TLS_RELOAD, Duration.ofMillis(50))
        .with(ServerSettings.TLS_CERTIFICATE, certificate.toString())
        .with(ServerSettings.TLS_KEY, key.toString())
        .with(ServerSettings.TLS_ENGINE, engine);
  }

  private static void replace(Path file, Path by) throws IOException {
    Path ready = Files.copy(by, file.resolveSibling("new"), StandardCopyOption.REPLACE_EXISTING);
    Files.move(ready, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String shown(TestNode node, String host, String... ciphers) throws IOException {
    try (SSLSocket socket =
        (SSLSocket)
            authority.trust().getSocketFactory().createSocket("127.0.0.1", node.gateway().port())) {
      SSLParameters parameters = socket.getSSLParameters();
      if (host != null) {
        parameters.setServerNames(List.of(new SNIHostName(host)));
      }
      if (ciphers.length > 0) {
        parameters.setProtocols(new String[] {"TLSv1.2"});
        parameters.setCipherSuites(ciphers);
      }
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
      return shown.getSubjectX500Principal().getName();
    }
  }

  private static void assertAnswers(RawWebSocket client) {
    client.text("{\"type\":\"ping\",\"ref\":1}");
    client.await("pong");
  }

  private static void awaitShown(TestNode node, String subject) {
    await().untilAsserted(() -> assertThat(shown(node, null)).isEqualTo(subject));
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldPresentARenewedCertificateWithoutLosingConnections(String engine) throws Exception {
    try (TestNode node = TestNode.start(config(engine, certificate, key));
        RawWebSocket client = node.request().tls(authority.trust()).open()) {
      assertThat(shown(node, null)).isEqualTo("CN=first");
      assertThat(node.metric("sluice_tls_certificate_remaining_seconds"))
          .isBetween(29 * 86_400.0, 30 * 86_400.0);
      replace(key, second.key());
      replace(certificate, second.certificate());
      awaitShown(node, "CN=second");
      assertAnswers(client);
      await().untilAsserted(() -> assertThat(node.metric("sluice_tls_outdated")).isZero());
      try (RawWebSocket other = node.request().tls(authority.trust()).open()) {
        assertAnswers(other);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldKeepTheCertificateWhileItsFilesAreBroken(String engine) throws Exception {
    try (TestNode node = TestNode.start(config(engine, certificate, key))) {
      String half = Files.readString(second.certificate());
      Files.writeString(certificate, half.substring(0, half.length() / 2));
      await().untilAsserted(() -> assertThat(node.metric("sluice_tls_outdated")).isEqualTo(1));
      assertThat(shown(node, null)).isEqualTo("CN=first");
      Files.writeString(certificate, half); // of another key
      Files.delete(key);
      await().pollDelay(Duration.ofMillis(300)).until(() -> shown(node, null).equals("CN=first"));
      Files.copy(second.key(), key);
      awaitShown(node, "CN=second");
      await().untilAsserted(() -> assertThat(node.metric("sluice_tls_outdated")).isZero());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldFollowAChangedLink(String engine) throws Exception {
    for (Issued each : List.of(first, second)) {
      Path version = Files.createDirectory(current.resolve(each == first ? "v1" : "v2"));
      Files.copy(each.certificate(), version.resolve("tls.crt"));
      Files.copy(each.key(), version.resolve("tls.key"));
    }
    Path data = Files.createSymbolicLink(current.resolve("..data"), Path.of("v1"));
    Path link = Files.createSymbolicLink(current.resolve("tls.crt"), Path.of("..data/tls.crt"));
    Path keyLink = Files.createSymbolicLink(current.resolve("tls.key"), Path.of("..data/tls.key"));
    try (TestNode node = TestNode.start(config(engine, link, keyLink))) {
      assertThat(shown(node, null)).isEqualTo("CN=first");
      Path next = Files.createSymbolicLink(current.resolve("..tmp"), Path.of("v2"));
      Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);
      awaitShown(node, "CN=second");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldShowTheCertificateOfTheHostThatAClientNames(String engine) throws Exception {
    List<String> pairs =
        List.of(second, rsa, wild).stream()
            .map(each -> each.certificate() + "=" + each.key())
            .toList();
    Config config = config(engine, certificate, key).with(ServerSettings.TLS_CERTIFICATES, pairs);
    try (TestNode node = TestNode.start(config)) {
      assertThat(shown(node, null)).isEqualTo("CN=first");
      assertThat(shown(node, "unknown.example.org")).isEqualTo("CN=first");
      assertThat(shown(node, "B.example.com")).isEqualTo("CN=second");
      assertThat(shown(node, "rsa.example.com")).isEqualTo("CN=rsa");
      assertThat(shown(node, "rsa.example.com", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"))
          .as("by TLS 1.2")
          .isEqualTo("CN=rsa");
      assertThat(shown(node, "c.EXAMPLE.com")).isEqualTo("CN=wild");
      assertThat(shown(node, "d.c.example.com")).as("one level only").isEqualTo("CN=first");
      assertThat(shown(node, "example.com")).isEqualTo("CN=first");
    }
  }
}
