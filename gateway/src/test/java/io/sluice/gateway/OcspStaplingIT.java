package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.tls.TestAuthority;
import io.sluice.gateway.tls.TestAuthority.Issued;
import io.sluice.gateway.tls.TestOcsp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilder;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.PKIXRevocationChecker.Option;
import java.security.cert.X509CertSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node staples to its certificates, as clients of the JDK see it. */
@Timeout(120)
final class OcspStaplingIT {
  private static final String HERE = "SAN=ip:127.0.0.1";
  private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

  @TempDir private static Path folder;

  private static TestAuthority authority;
  private static Issued first;
  private static Issued second;
  private static Issued late;

  private Path response;

  @BeforeAll
  static void create() {
    authority = TestAuthority.create(folder, "authority");
    first = authority.issue("first", "CN=first", HERE);
    second = authority.issue("second", "CN=second", "RSA", List.of(), HERE + ",dns:b.example.com");
    late =
        authority.issue(
            "late", "CN=late", "EC", List.of("-startdate", "-1d"), HERE + ",dns:c.example.com");
  }

  @BeforeEach
  void write() {
    response = TestOcsp.good(authority, first).write(folder.resolve("first.der"));
  }

  // Nothing listens there: all of this goes without a broker.
  private Config config(Path... more) {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(ServerSettings.TLS_ENGINE, "openssl")
        .with(ServerSettings.TLS_RELOAD, Duration.ofMillis(50))
        .with(ServerSettings.TLS_CERTIFICATE, authority.chain(first).toString())
        .with(ServerSettings.TLS_KEY, first.key().toString())
        .with(ServerSettings.TLS_CERTIFICATES, List.of(pair(second), pair(late)))
        .with(
            ServerSettings.TLS_OCSP_RESPONSES,
            Stream.concat(Stream.of(response), Stream.of(more)).map(Path::toString).toList());
  }

  private static String pair(Issued certificate) {
    return authority.chain(certificate) + "=" + certificate.key();
  }

  /** What comes with the certificate that a client is shown. */
  private static List<byte[]> stapled(TestNode node, SSLContext trust, String host, String version)
      throws IOException {
    try (SSLSocket socket =
        (SSLSocket) trust.getSocketFactory().createSocket("127.0.0.1", node.gateway().port())) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(host)));
      parameters.setProtocols(new String[] {version});
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return ((ExtendedSSLSession) socket.getSession()).getStatusResponses();
    }
  }

  private static List<byte[]> stapled(TestNode node, String host, String version)
      throws IOException {
    return stapled(node, authority.trust(), host, version);
  }

  /** Takes no certificate without a response, and asks nobody for one. */
  private static SSLContext strict() throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("authority", authority.own());
    PKIXRevocationChecker checker =
        (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
    checker.setOptions(EnumSet.of(Option.NO_FALLBACK, Option.ONLY_END_ENTITY));
    PKIXBuilderParameters parameters = new PKIXBuilderParameters(trusted, new X509CertSelector());
    parameters.addCertPathChecker(checker);
    TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
    managers.init(new CertPathTrustManagerParameters(parameters));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  @Test
  void shouldStapleToEachCertificateItsOwnResponseWhileItHolds() throws Exception {
    Path other = TestOcsp.good(authority, second).write(folder.resolve("second.der"));
    Instant now = Instant.now();
    Path over =
        TestOcsp.good(authority, late)
            .lasting(now.minusSeconds(7_200), now.minusSeconds(1))
            .write(folder.resolve("late.der"));
    try (TestNode node = TestNode.start(config(other, over))) {
      for (String version : VERSIONS) {
        assertThat(stapled(node, "a.example.com", version))
            .as(version)
            .containsExactly(Files.readAllBytes(response));
        assertThat(stapled(node, "b.example.com", version))
            .as(version)
            .containsExactly(Files.readAllBytes(other));
        assertThat(stapled(node, "c.example.com", version)).as("it is over").isEmpty();
        assertThat(stapled(node, strict(), "b.example.com", version)).hasSize(1);
        assertThatThrownBy(() -> stapled(node, strict(), "c.example.com", version))
            .isInstanceOf(SSLException.class);
      }
      assertThat(node.metric("sluice_tls_ocsp_remaining_seconds")).isNegative();
    }
  }

  @Test
  void shouldTakeARenewedResponseAndKeepItWhileTheFileIsBroken() throws Exception {
    Config config = config().with(ServerSettings.TLS_CERTIFICATES, List.of());
    try (TestNode node = TestNode.start(config)) {
      assertThat(node.metric("sluice_tls_ocsp_remaining_seconds")).isBetween(3_000.0, 3_600.0);
      Instant now = Instant.now();
      TestOcsp renewed =
          TestOcsp.good(authority, first).lasting(now.minusSeconds(60), now.plusSeconds(86_400));
      Path next = renewed.write(folder.resolve("next.der"));
      byte[] bytes = Files.readAllBytes(next);
      Files.move(next, response, StandardCopyOption.ATOMIC_MOVE);
      await()
          .untilAsserted(
              () -> assertThat(stapled(node, "x.example.com", "TLSv1.3")).containsExactly(bytes));
      Files.write(response, TestOcsp.tryLater());
      await().untilAsserted(() -> assertThat(node.metric("sluice_tls_outdated")).isEqualTo(1));
      assertThat(stapled(node, "x.example.com", "TLSv1.3")).containsExactly(bytes);
    }
  }

  @Test
  void shouldNotStartWithTheResponseOfAnotherCertificate() {
    TestOcsp.good(authority, late).write(response);
    Config config = config().with(ServerSettings.TLS_CERTIFICATES, List.of());
    assertThatThrownBy(() -> Gateway.start(config, false))
        .isInstanceOf(StartFailure.class)
        .hasMessage(
            "server.tls.ocsp-responses: " + response + " is for no certificate of this node");
  }
}
