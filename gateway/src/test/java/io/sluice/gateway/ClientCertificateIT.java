package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that show certificates, with each engine. */
@Timeout(180)
final class ClientCertificateIT {
  private static final String LET_IN = "sluice_authentications_total{mechanism=\"certificate\"}";

  @TempDir private static Path folder;

  private static TestAuthority authority;
  private static Issued node;
  private static Issued alice;
  private static Issued bob;
  private static Issued nameless;
  private static Issued old;
  private static Issued stranger;

  @BeforeAll
  static void create() throws IOException {
    authority = TestAuthority.create(folder, "authority");
    node = authority.issue("node", "CN=node", "SAN=ip:127.0.0.1,dns:localhost");
    alice = authority.issue("alice", "CN=alice,O=Example");
    bob = authority.issue("bob", "CN=bob");
    nameless = authority.issue("nameless", "O=Example");
    old = authority.issue("old", "CN=old", "EC", List.of("-startdate", "-10d", "-validity", "5"));
    // Of the same name: clients of the JDK do not show what the node would not take.
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    stranger = TestAuthority.create(elsewhere, "authority").issue("stranger", "CN=alice");
  }

  // Nothing listens there: all of this goes without a broker.
  private static Config config(String engine, String wanted) {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(AuthSettings.ANONYMOUS, false)
        .with(ServerSettings.TLS_RELOAD, Duration.ofMillis(50))
        .with(ServerSettings.TLS_CERTIFICATE, node.certificate().toString())
        .with(ServerSettings.TLS_KEY, node.key().toString())
        .with(ServerSettings.TLS_CLIENT_AUTH, wanted)
        .with(ServerSettings.TLS_CLIENT_CA, authority.certificate().toString())
        .with(ServerSettings.TLS_ENGINE, engine);
  }

  /** The context of the node's own authority with the certificate of another one. */
  private static SSLContext shows(Issued certificate) {
    return certificate == stranger
        ? TestAuthority.context(stranger.store(), node.store())
        : certificate.context();
  }

  private static void assertLetIn(TestNode node, Issued certificate) {
    double before = node.metric(LET_IN);
    try (RawWebSocket client = node.request().tls(shows(certificate)).open()) {
      client.text("{\"type\":\"ping\",\"ref\":1}");
      client.await("pong");
    }
    assertThat(node.metric(LET_IN)).isEqualTo(before + 1);
  }

  /** The TLS handshake fails, in TLS 1.3 after the client's own side of it is done. */
  private static void assertRefused(TestNode node, SSLContext context, String version) {
    boolean answered = true;
    try (SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", node.gateway().port())) {
      socket.setSoTimeout(30_000);
      socket.setEnabledProtocols(new String[] {version});
      socket.startHandshake();
      socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes());
      answered = socket.getInputStream().read() >= 0;
    } catch (java.net.SocketTimeoutException e) {
      throw new AssertionError("neither answered nor refused", e);
    } catch (IOException refused) {
      answered = false;
    }
    assertThat(answered).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"openssl, TLSv1.3", "openssl, TLSv1.2", "jdk, TLSv1.3", "jdk, TLSv1.2"})
  void shouldAdmitOnlyClientsOfItsAuthorities(String engine, String version) {
    try (TestNode node = TestNode.start(config(engine, "required"))) {
      assertLetIn(node, alice);
      assertRefused(node, authority.trust(), version);
      assertRefused(node, shows(stranger), version);
      assertRefused(node, shows(old), version);
      String refused = "sluice_handshakes_refused_total{cause=\"tls\"}";
      await().untilAsserted(() -> assertThat(node.metric(refused)).isEqualTo(3));
      assertLetIn(node, bob);
    }
  }

  @Test
  void shouldEndTheSessionsOfARevokedCertificateAndKeepItOut() throws Exception {
    try (TestNode node = TestNode.start(config("jdk", "required"));
        RawWebSocket client = node.request().tls(shows(alice)).open();
        RawWebSocket other = node.request().tls(shows(bob)).open()) {
      for (RawWebSocket each : List.of(client, other)) {
        each.text("{\"type\":\"connect\"}");
        each.await("hello");
      }
      assertThat(node.revoke("token", alice.serial())).isEqualTo("{\"closed\":0}");
      assertThat(node.revoke("certificate", alice.serial().toUpperCase(Locale.ROOT)))
          .isEqualTo("{\"closed\":1}");
      assertThat(client.awaitClose()).isEqualTo(4204);
      try (RawWebSocket again = node.request().tls(shows(alice)).open()) {
        again.text("{\"type\":\"connect\"}");
        assertThat(again.awaitClose()).isEqualTo(4204);
      }
      other.text("{\"type\":\"ping\",\"ref\":1}");
      other.await("pong");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldAcceptStreamsOfClientsWithACertificate(String engine) {
    try (TestNode node = TestNode.start(config(engine, "required"));
        RawWebSocket client =
            node.stream("{\"type\":\"ping\",\"ref\":1}").tls(shows(alice)).open()) {
      assertThat(client.status()).isEqualTo(200);
      await().untilAsserted(() -> assertThat(node.metric(LET_IN)).isEqualTo(1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldAdmitClientsWithoutACertificateIfItIsOptional(String engine) {
    try (TestNode node = TestNode.start(config(engine, "optional"))) {
      assertLetIn(node, alice);
      assertRefused(node, shows(stranger), "TLSv1.3");
      assertClosed(node.request().tls(authority.trust()), "requires a credential");
    }
    Config open = config(engine, "optional").with(AuthSettings.ANONYMOUS, true);
    try (TestNode node = TestNode.start(open);
        RawWebSocket client = node.request().tls(authority.trust()).open()) {
      client.text("{\"type\":\"ping\",\"ref\":1}");
      client.await("pong");
    }
  }

  private static void assertClosed(RawWebSocket.Request request, String why) {
    try (RawWebSocket client = request.open()) {
      client.text("{\"type\":\"connect\"}");
      assertThat(client.await("error").get("message").asText()).contains(why);
      assertThat(client.awaitClose()).isEqualTo(4200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldReportTheProblemOfACertificate(String engine) {
    try (TestNode node = TestNode.start(config(engine, "required"))) {
      assertClosed(node.request().tls(shows(nameless)), "has no cn to use as");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldUseACertificateOnlyWithoutOtherCredentials(String engine) {
    try (TestNode node = TestNode.start(config(engine, "required"))) {
      assertClosed(
          node.request().tls(shows(alice)).set("Authorization", "Bearer x"),
          "does not accept tokens");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldRejectCertificatesOfTheLatestRevocationList(String engine) {
    Path list = folder.resolve(engine + ".crl");
    authority.revoke(list, bob);
    Config config = config(engine, "required").with(ServerSettings.TLS_CLIENT_CRL, list.toString());
    try (TestNode node = TestNode.start(config)) {
      assertLetIn(node, alice);
      assertRefused(node, shows(bob), "TLSv1.3");
      assertRefused(node, shows(bob), "TLSv1.2");
      assertThat(node.metric("sluice_tls_crl_remaining_seconds")).isPositive();
      authority.revoke(list, bob, alice);
      await().untilAsserted(() -> assertRefused(node, shows(alice), "TLSv1.3"));
    }
  }

  /** A list of one authority says nothing of another one's clients. */
  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldRejectClientsWhoseAuthorityHasNoRevocationList(String engine) {
    Path list = folder.resolve(engine + "-other.crl");
    TestAuthority.create(folder, "third-" + engine).revoke(list);
    Config config = config(engine, "required").with(ServerSettings.TLS_CLIENT_CRL, list.toString());
    try (TestNode node = TestNode.start(config)) {
      assertRefused(node, shows(alice), "TLSv1.3");
    }
  }

  @Tag("full")
  @Test
  void shouldEndASessionWithItsCertificate() {
    try (TestNode openssl = TestNode.start(config("openssl", "required"));
        TestNode jdk = TestNode.start(config("jdk", "required"))) {
      Issued brief =
          authority.issue(
              "brief", "CN=brief", "EC", List.of("-startdate", "-23H-59M-45S", "-validity", "1"));
      try (RawWebSocket one = connect(openssl, brief);
          RawWebSocket other = connect(jdk, brief)) {
        assertThat(one.awaitClose()).isEqualTo(4201);
        assertThat(other.awaitClose()).isEqualTo(4201);
      }
    }
  }

  private static RawWebSocket connect(TestNode node, Issued brief) {
    RawWebSocket client = node.request().tls(shows(brief)).timeout(Duration.ofSeconds(60)).open();
    client.text("{\"type\":\"connect\"}");
    assertThat(client.await("hello").get("expires").asLong()).isPositive();
    return client;
  }
}
