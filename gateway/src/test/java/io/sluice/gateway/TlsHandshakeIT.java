package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.http.Pages;
import io.sluice.gateway.node.StartFailure;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestCertificate;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS handshakes, accepted and rejected, with each engine. */
@Timeout(180)
final class TlsHandshakeIT {
  private static final int ALERT = 21;
  private static final int HANDSHAKE = 22;
  private static final int PROTOCOL_VERSION = 70;

  @TempDir private static Path folder;

  private static TestCertificate certificate;
  private static TestCertificate rsa;

  @BeforeAll
  static void create() {
    certificate = TestCertificate.create(folder, "ec", "EC");
    rsa = TestCertificate.create(folder, "rsa", "RSA");
  }

  private static Config config(String engine) {
    return config(engine, certificate);
  }

  // Nothing listens there: all of this goes without a broker.
  private static Config config(String engine, TestCertificate its) {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(ServerSettings.TLS_CERTIFICATE, its.certificate().toString())
        .with(ServerSettings.TLS_KEY, its.key().toString())
        .with(ServerSettings.TLS_ENGINE, engine);
  }

  private static void assertServes(TestNode node) {
    try (RawWebSocket client = node.request().tls(certificate.trust()).open()) {
      client.text("{\"type\":\"ping\",\"ref\":1}");
      client.await("pong");
    }
  }

  private static String refused(String cause) {
    return "sluice_handshakes_refused_total{cause=\"" + cause + "\"}";
  }

  private static Socket connect(TestNode node) throws IOException {
    Socket socket = new Socket("127.0.0.1", node.gateway().port());
    socket.setSoTimeout(30_000);
    return socket;
  }

  private static void awaitEnd(Socket socket) {
    byte[] some = new byte[4096];
    try {
      InputStream in = socket.getInputStream();
      for (int read = 0; read >= 0; ) {
        read = in.read(some); // an alert may come first
      }
    } catch (java.net.SocketTimeoutException e) {
      throw new AssertionError("still open", e);
    } catch (IOException reset) {
      // an end as well
    }
  }

  @ParameterizedTest
  @CsvSource({
    "openssl, TLSv1.3, EC",
    "openssl, TLSv1.2, EC",
    "openssl, TLSv1.3, RSA",
    "openssl, TLSv1.2, RSA",
    "jdk, TLSv1.3, EC",
    "jdk, TLSv1.2, EC",
    "jdk, TLSv1.3, RSA",
    "jdk, TLSv1.2, RSA"
  })
  void shouldSupportBothVersionsWithBothKeyTypes(String engine, String version, String kind)
      throws IOException {
    TestCertificate its = kind.equals("EC") ? certificate : rsa;
    try (TestNode node = TestNode.start(config(engine, its));
        SSLSocket socket =
            (SSLSocket)
                its.trust().getSocketFactory().createSocket("127.0.0.1", node.gateway().port())) {
      socket.setEnabledProtocols(new String[] {version});
      socket.startHandshake();
      assertThat(socket.getSession().getProtocol()).isEqualTo(version);
      assertThat(socket.getSession().getCipherSuite()).contains("GCM");
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      byte[] answer = socket.getInputStream().readNBytes(12);
      assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 404");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldServeItsPagesByHttps(String engine) throws Exception {
    Gateway gateway = Gateway.start(config(engine), Pages.demo());
    try {
      HttpClient client = HttpClient.newBuilder().sslContext(certificate.trust()).build();
      URI page = URI.create("https://localhost:" + gateway.port() + "/");
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(page).timeout(Duration.ofSeconds(60)).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(answer.body()).contains("<title>Sluice");
    } finally {
      gateway.close();
    }
  }

  @Test
  void shouldSendStrictTransportSecurity() {
    Config strict = config("auto").with(ServerSettings.HSTS, Duration.ofHours(24));
    try (TestNode node = TestNode.start(strict);
        RawWebSocket page =
            node.request()
                .requestLine("GET /nothing HTTP/1.1")
                .without("Upgrade")
                .tls(certificate.trust())
                .attempt()) {
      assertThat(page.status()).isEqualTo(404);
      assertThat(page.header("Strict-Transport-Security")).isEqualTo("max-age=86400");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldRejectPlainText(String engine) throws IOException {
    try (TestNode node = TestNode.start(config(engine));
        Socket plain = connect(node)) {
      plain
          .getOutputStream()
          .write("GET /ws HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      awaitEnd(plain);
      await().untilAsserted(() -> assertThat(node.metric(refused("tls"))).isEqualTo(1));
      assertServes(node);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldRefuseAClientOfTls11(String engine) throws IOException {
    try (TestNode node = TestNode.start(config(engine));
        Socket old = connect(node)) {
      old.getOutputStream().write(helloOfTls11());
      byte[] alert = old.getInputStream().readNBytes(7);
      assertThat(alert).hasSize(7);
      assertThat(alert[0]).isEqualTo((byte) ALERT);
      assertThat(alert[6]).isEqualTo((byte) PROTOCOL_VERSION);
      awaitEnd(old);
      await().untilAsserted(() -> assertThat(node.metric(refused("tls"))).isEqualTo(1));
      assertServes(node);
    }
  }

  /** A ClientHello as RFC 4346 has it: the JDK and OpenSSL would rather not send one. */
  private static byte[] helloOfTls11() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(body);
    out.writeShort(0x0302); // TLS 1.1
    out.write(new byte[32]); // random
    out.writeByte(0); // no session
    out.writeShort(4);
    out.writeShort(0xc009); // ECDHE-ECDSA-AES128-SHA
    out.writeShort(0xc013); // ECDHE-RSA-AES128-SHA
    out.writeShort(0x0100); // no compression
    out.writeShort(14); // extensions
    out.write(new byte[] {0, 10, 0, 4, 0, 2, 0, 23}); // supported_groups: secp256r1
    out.write(new byte[] {0, 11, 0, 2, 1, 0}); // ec_point_formats: uncompressed
    ByteArrayOutputStream record = new ByteArrayOutputStream();
    out = new DataOutputStream(record);
    out.writeByte(HANDSHAKE);
    out.writeShort(0x0301);
    out.writeShort(body.size() + 4);
    out.writeByte(1); // client_hello
    out.writeByte(0);
    out.writeShort(body.size());
    out.write(body.toByteArray());
    return record.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldRefuseCiphersWithoutAuthenticatedEncryption(String engine) throws IOException {
    try (TestNode node = TestNode.start(config(engine));
        SSLSocket socket =
            (SSLSocket)
                certificate
                    .trust()
                    .getSocketFactory()
                    .createSocket("127.0.0.1", node.gateway().port())) {
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      socket.setEnabledCipherSuites(new String[] {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"});
      assertThatThrownBy(socket::startHandshake)
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("handshake_failure");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldCloseConnectionsThatDoNotCompleteTheirTlsHandshake(String engine) throws IOException {
    Config hasty = config(engine).with(TimeoutSettings.HANDSHAKE, Duration.ofMillis(500));
    try (TestNode node = TestNode.start(hasty);
        Socket silent = connect(node);
        Socket half = connect(node);
        SSLSocket idle =
            (SSLSocket)
                certificate
                    .trust()
                    .getSocketFactory()
                    .createSocket("127.0.0.1", node.gateway().port())) {
      byte[] hello = helloOfTls11();
      half.getOutputStream().write(hello, 0, hello.length / 2);
      idle.setSoTimeout(30_000);
      idle.startHandshake(); // and no request
      awaitEnd(silent);
      awaitEnd(half);
      awaitEnd(idle);
      await().untilAsserted(() -> assertThat(node.metric(refused("timeout"))).isEqualTo(3));
      assertThat(node.metric(refused("tls"))).isZero();
      assertServes(node);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldBoundTheHandshakesThatWaitForTls(String engine) throws IOException {
    Config strict =
        config(engine)
            .with(TimeoutSettings.HANDSHAKE, Duration.ofHours(1))
            .with(LimitSettings.HANDSHAKES, 2)
            .with(ServerSettings.EVENT_LOOPS, 1);
    try (TestNode node = TestNode.start(strict)) {
      try (Socket first = connect(node);
          Socket second = connect(node);
          Socket third = connect(node)) {
        awaitEnd(first);
        assertThat(node.metric(refused("too-many"))).isEqualTo(1);
        assertThat(second.isConnected() && third.isConnected()).isTrue();
      }
      // Those that left, and one that became a WebSocket, take no place any more.
      await().ignoreExceptions().untilAsserted(() -> assertServes(node));
      try (RawWebSocket a = node.request().tls(certificate.trust()).open();
          RawWebSocket b = node.request().tls(certificate.trust()).open();
          RawWebSocket c = node.request().tls(certificate.trust()).open()) {
        assertThat(a.status() + b.status() + c.status()).isEqualTo(303);
      }
      assertThat(node.metric(refused("tls"))).as("going away is no failure").isZero();
    }
  }

  @Test
  void shouldNotStartWithAKeyOfAnotherCertificate() {
    Config mixed = config("auto").with(ServerSettings.TLS_KEY, rsa.key().toString());
    assertThatThrownBy(() -> Gateway.start(mixed, Pages.none()))
        .isInstanceOf(StartFailure.class)
        .hasMessage(
            "server.tls.key: %s does not belong to the first certificate of %s",
            rsa.key(), certificate.certificate());
  }
}
