package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Authorization and connections of the admin port of a real node. */
@Timeout(180)
final class AdminAccessIT {
  private static final String TOKEN = "0123456789abcdef";
  private static final String OTHER = "fedcba9876543210";
  private static final List<String> LOCKED =
      List.of("/metrics", "/clients", "/revocations", "/cluster");

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir private Path folder;

  /** Node whose broker is not reachable. */
  private static Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1");
  }

  private HttpResponse<String> get(TestNode node, String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri("http", node, path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return AdminOpenApi.checked(http.send(request.build(), BodyHandlers.ofString()));
  }

  private static URI uri(String scheme, TestNode node, String path) {
    return URI.create(scheme + "://127.0.0.1:" + node.gateway().adminPort() + path);
  }

  private int status(TestNode node, String path, String token) throws Exception {
    return get(node, path, "Authorization", "Bearer " + token).statusCode();
  }

  /** Raw request that browsers and client libraries would not send. */
  private static int raw(TestNode node, String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", node.gateway().adminPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      return Integer.parseInt(
          new String(in.readNBytes(12), StandardCharsets.US_ASCII).substring(9));
    }
  }

  @Test
  void shouldRequireATokenExceptForHealth() throws Exception {
    try (TestNode node = TestNode.start(config(), AdminSettings.TOKEN, TOKEN)) {
      assertThat(get(node, "/health/live").statusCode()).isEqualTo(200);
      assertThat(get(node, "/health/ready").statusCode()).isEqualTo(503);
      for (String path : LOCKED) {
        HttpResponse<String> refused = get(node, path);
        assertThat(refused.statusCode()).as(path).isEqualTo(401);
        assertThat(refused.headers().firstValue("WWW-Authenticate"))
            .get()
            .asString()
            .contains("Bearer");
        assertThat(status(node, path, OTHER)).as(path).isEqualTo(401);
        assertThat(status(node, path, TOKEN)).as(path).isEqualTo(200);
      }
    }
  }

  @Test
  void shouldAcceptAValidTokenDuringTooManyInvalidOnes() throws Exception {
    try (TestNode node = TestNode.start(config().with(AdminSettings.TOKEN, TOKEN))) {
      List<Integer> answers = new ArrayList<>();
      while (!answers.contains(429)) {
        answers.add(status(node, "/metrics", OTHER));
      }
      assertThat(answers).containsOnly(401, 429);
      assertThat(status(node, "/metrics", TOKEN)).isEqualTo(200);
    }
  }

  @Tag("full")
  @Test
  void shouldReadTheFileOfTokensAgainWhenItChanges() throws Exception {
    Path file = Files.writeString(folder.resolve("tokens"), TOKEN + "\n");
    try (TestNode node = TestNode.start(config(), AdminSettings.TOKEN_FILE, file.toString())) {
      Files.writeString(file, TOKEN + "\n" + OTHER + "\n");
      await().untilAsserted(() -> assertThat(status(node, "/clients", OTHER)).isEqualTo(200));
      assertThat(status(node, "/clients", TOKEN)).isEqualTo(200);

      Files.writeString(file, OTHER + "\n");
      await().untilAsserted(() -> assertThat(status(node, "/clients", TOKEN)).isIn(401, 429));
    }
  }

  @Tag("full")
  @Test
  void shouldKeepItsTokensWhileTheirFileIsMissing() throws Exception {
    Path file = Files.writeString(folder.resolve("tokens"), TOKEN + "\n");
    try (TestNode node = TestNode.start(config(), AdminSettings.TOKEN_FILE, file.toString())) {
      Files.delete(file);
      await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(() -> assertThat(status(node, "/clients", TOKEN)).isEqualTo(200));
    }
  }

  @Test
  void shouldServeOnlyMetricsWithoutTokenWhereTheyAreOpen() throws Exception {
    Config config =
        config().with(AdminSettings.HOST, "0.0.0.0").with(AdminSettings.METRICS_OPEN, true);
    try (TestNode node = TestNode.start(config)) {
      assertThat(get(node, "/metrics").statusCode()).isEqualTo(200);
      assertThat(get(node, "/clients").statusCode()).isEqualTo(403);
      assertThat(get(node, "/clients").body()).contains("admin.token");
    }
  }

  @Test
  void shouldAcceptCommandsOnLoopbackExceptFromWebPages() throws Exception {
    try (TestNode node = TestNode.start(config())) {
      assertThat(get(node, "/clients").statusCode()).isEqualTo(200);
      assertThat(get(node, "/clients", "Origin", "https://evil.example").statusCode())
          .isEqualTo(403);
      assertThat(raw(node, "GET /clients HTTP/1.1\r\nHost: evil.example\r\n\r\n")).isEqualTo(403);
      assertThat(raw(node, "GET /clients HTTP/1.1\r\nHost: localhost:1\r\n\r\n")).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "application/jsonx"})
  void shouldRefuseTheTypesThatAFormCanSend(String type) throws Exception {
    try (TestNode node = TestNode.start(config())) {
      HttpRequest request =
          HttpRequest.newBuilder(uri("http", node, "/revocations"))
              .header("Content-Type", type)
              .POST(BodyPublishers.ofString("{\"subject\":\"ann\"}"))
              .build();
      assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(415);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void shouldSpeakTlsOnly(String algorithm) throws Exception {
    TestCertificate made = TestCertificate.create(folder, "admin", algorithm);
    Config config =
        config()
            .with(AdminSettings.TLS_CERTIFICATE, made.certificate().toString())
            .with(AdminSettings.TLS_KEY, made.key().toString());
    try (TestNode node = TestNode.start(config)) {
      HttpClient trusting = HttpClient.newBuilder().sslContext(made.trust()).build();
      HttpRequest request = HttpRequest.newBuilder(uri("https", node, "/health/live")).build();
      assertThat(trusting.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
      try (Socket plain = new Socket("127.0.0.1", node.gateway().adminPort())) {
        plain
            .getOutputStream()
            .write("GET /health/live HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(plain.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
            .doesNotContain("200");
      }
    }
  }

  @Test
  void shouldRefuseCiphersWithoutAuthenticatedEncryption() throws Exception {
    TestCertificate made = TestCertificate.create(folder, "ciphers", "RSA");
    Config config =
        config()
            .with(AdminSettings.TLS_CERTIFICATE, made.certificate().toString())
            .with(AdminSettings.TLS_KEY, made.key().toString());
    try (TestNode node = TestNode.start(config)) {
      assertThat(speaks(made, node, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")).isTrue();
      assertThat(speaks(made, node, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256")).isFalse();
    }
  }

  private static boolean speaks(TestCertificate certificate, TestNode node, String cipher)
      throws IOException {
    try (SSLSocket socket = tls(certificate, node)) {
      socket.setEnabledCipherSuites(new String[] {cipher});
      socket.startHandshake();
      return true;
    } catch (SSLException refused) {
      return false;
    }
  }

  @Tag("full")
  @Test
  void shouldUseARenewedCertificateAndKeepItWhileItsFilesAreInvalid() throws Exception {
    TestCertificate first = TestCertificate.create(folder, "first", "EC");
    TestCertificate second = TestCertificate.create(folder, "second", "RSA");
    Config config =
        config()
            .with(AdminSettings.TLS_CERTIFICATE, first.certificate().toString())
            .with(AdminSettings.TLS_KEY, first.key().toString());
    try (TestNode node = TestNode.start(config)) {
      assertThat(trusts(first, node)).isTrue();
      replace(first.key(), second.key());
      replace(first.certificate(), second.certificate());
      await().atMost(Duration.ofMinutes(2)).until(() -> trusts(second, node));
      Files.writeString(first.certificate(), "broken");
      await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofMinutes(2))
          .until(() -> trusts(second, node));
    }
  }

  private static void replace(Path file, Path by) throws IOException {
    Files.copy(by, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private static boolean trusts(TestCertificate certificate, TestNode node) throws IOException {
    try (SSLSocket socket = tls(certificate, node)) {
      socket.startHandshake();
      return true;
    } catch (SSLException another) {
      return false;
    }
  }

  private static SSLSocket tls(TestCertificate certificate, TestNode node) throws IOException {
    return (SSLSocket)
        certificate
            .trust()
            .getSocketFactory()
            .createSocket("127.0.0.1", node.gateway().adminPort());
  }

  private static Socket connect(TestNode node) throws IOException {
    Socket socket = new Socket("127.0.0.1", node.gateway().adminPort());
    socket.setSoTimeout(30_000);
    return socket;
  }

  private static int ask(Socket socket) throws IOException {
    socket
        .getOutputStream()
        .write(
            "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
    return socket.getInputStream().read();
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      throw new AssertionError("still open", e);
    } catch (IOException reset) {
      return true;
    }
  }

  @Test
  void shouldLimitItsConnections() throws Exception {
    try (TestNode node = TestNode.start(config(), LimitSettings.ADMIN_CONNECTIONS, 2)) {
      try (Socket first = connect(node);
          Socket second = connect(node)) {
        assertThat(ask(second)).isEqualTo('H');
        try (Socket third = connect(node)) {
          assertThat(isClosed(first)).isTrue(); // it has been idle for longest
          assertThat(ask(third)).isEqualTo('H');
        }
      }
      await().ignoreExceptions().until(() -> status(node, "/health/live", TOKEN) == 200);
    }
  }

  @Test
  void shouldCountConnectionsFromTheBeginningOfTheirTlsHandshake() throws Exception {
    TestCertificate made = TestCertificate.create(folder, "counted", "EC");
    Config few =
        config()
            .with(LimitSettings.ADMIN_CONNECTIONS, 4)
            .with(AdminSettings.TLS_CERTIFICATE, made.certificate().toString())
            .with(AdminSettings.TLS_KEY, made.key().toString());
    HttpClient client = HttpClient.newBuilder().sslContext(made.trust()).build();
    try (TestNode node = TestNode.start(few)) {
      List<Socket> silent = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        silent.add(connect(node));
      }
      for (Socket earlier : silent.subList(0, 16)) {
        assertThat(isClosed(earlier)).isTrue();
      }
      HttpRequest request = HttpRequest.newBuilder(uri("https", node, "/health/live")).build();
      assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
      assertThat(isClosed(silent.get(16))).isTrue(); // has sent nothing for longest
      silent.get(19).setSoTimeout(100);
      assertThatThrownBy(() -> silent.get(19).getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      for (Socket each : silent) {
        each.close();
      }
    }
  }

  /** A connection with an incomplete request counts as idle. */
  @Test
  void shouldCloseIdleConnections() throws Exception {
    Config hasty = config().with(TimeoutSettings.ADMIN_IDLE, Duration.ofMillis(500));
    try (TestNode node = TestNode.start(hasty);
        Socket silent = connect(node);
        Socket slow = connect(node)) {
      slow.getOutputStream().write("GET /health/li".getBytes(StandardCharsets.US_ASCII));
      assertThat(isClosed(silent)).isTrue();
      assertThat(isClosed(slow)).isTrue();
      assertThat(get(node, "/health/live").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void shouldCloseConnectionsThatNeverFinishTheirTlsHandshake() throws Exception {
    TestCertificate made = TestCertificate.create(folder, "admin", "EC");
    Config hasty =
        config()
            .with(TimeoutSettings.HANDSHAKE, Duration.ofMillis(500))
            .with(AdminSettings.TLS_CERTIFICATE, made.certificate().toString())
            .with(AdminSettings.TLS_KEY, made.key().toString());
    try (TestNode node = TestNode.start(hasty);
        Socket silent = connect(node)) {
      assertThat(isClosed(silent)).isTrue();
    }
  }

  @Test
  void shouldSpeakHttp1Only() throws Exception {
    try (TestNode node = TestNode.start(config());
        Socket socket = connect(node)) {
      socket
          .getOutputStream()
          .write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      // A server of HTTP/2 would send its settings, which begin with the length of the frame.
      assertThat(socket.getInputStream().read()).isIn(-1, (int) 'H');
    }
  }

  @Test
  void shouldRecordRefusalsInTheAuditLog() throws Exception {
    Path audit = folder.resolve("audit.log");
    Config config =
        config().with(AdminSettings.TOKEN, TOKEN).with(AdminSettings.AUDIT_FILE, audit.toString());
    try (TestNode node = TestNode.start(config)) {
      status(node, "/clients", OTHER);
      await()
          .untilAsserted(
              () ->
                  assertThat(Files.readString(audit))
                      .contains("\"event\":\"admin-refused\"")
                      .contains("\"by\":\"127.0.0.1\"")
                      .contains("\"what\":\"GET /clients\"")
                      .contains("\"why\":\"wrong-token\"")
                      .doesNotContain(OTHER));
    }
  }
}
