package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.admission.RefusalLog;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.LoggedEvents;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Refusals of docs/PROTOCOL.md, section 1, on each path of a request: each has a status, a JSON
 * body, CORS headers, a log event and a metric.
 */
@Timeout(180)
@Isolated("observes the whole process")
final class RefusalsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String APP = "https://app.example";
  private static final String UPGRADE =
      "GET /ws HTTP/1.1\r\n" + String.join("", DirectUpgradeIT.LINES) + "\r\n";
  private static final String END_OF_HEAD = "\r\n\r\n";

  @TempDir private static Path folder;

  private static TestCertificate certificate;

  @BeforeAll
  static void createCertificate() {
    certificate = TestCertificate.create(folder, "node", "EC");
  }

  /** Path of a request through the node. */
  private enum Via {
    BARE_SOCKET,
    VERTX,
    TLS;

    Config config() {
      Config config = DirectUpgradeIT.config(this == VERTX ? "nio" : "auto");
      if (this != TLS) {
        return config;
      }
      return config
          .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
          .with(ServerSettings.TLS_KEY, certificate.key().toString());
    }

    Socket connect(TestNode node) throws IOException {
      Socket socket =
          this == TLS
              ? certificate
                  .trust()
                  .getSocketFactory()
                  .createSocket(InetAddress.getLoopbackAddress(), node.gateway().port())
              : DirectUpgradeIT.connect(node);
      socket.setSoTimeout(60_000);
      return socket;
    }
  }

  /**
   * Request and its refusal.
   *
   * @param cors expected Access-Control-Allow-Origin; null: none
   */
  private record Case(String request, int status, String code, String cors) {}

  private static String with(String line, String other) {
    assertThat(UPGRADE).contains(line);
    return UPGRADE.replace(line, other);
  }

  private static List<Case> cases() {
    String foreign = with("Origin: " + APP, "Origin: https://other.example");
    String origin = "Origin: " + APP + "\r\n";
    String post = "POST /stream HTTP/1.1\r\nHost: x\r\n" + origin;
    return List.of(
        new Case("nonsense" + END_OF_HEAD, 400, "bad-request", "*"),
        new Case("GET /ws HTTP/9.9\r\nHost: x" + END_OF_HEAD, 400, "bad-request", "*"),
        new Case("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad-request", "*"),
        new Case(with("Host: x", "Ho st: x"), 400, "bad-request", "*"),
        new Case(with("Upgrade: websocket\r\n", ""), 400, "bad-request", APP),
        new Case(with("Protocol: sluice.v1.json", "Protocol: x"), 400, "bad-request", APP),
        new Case(post + "Content-Length: 1\r\n\r\n\n", 400, "bad-request", APP),
        new Case(post + "Content-Length: 3\r\n\r\n\u00ff\u00ff\n", 400, "bad-request", APP),
        new Case(post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "bad-request", APP),
        new Case(foreign, 403, "origin", "*"),
        new Case(foreign.replace("GET /ws", "POST /stream"), 403, "origin", null),
        new Case("GET /none HTTP/1.1\r\nHost: x" + END_OF_HEAD, 404, "not-found", "*"),
        new Case(UPGRADE.replace("/ws", "/wss"), 404, "not-found", "*"),
        new Case("GET /client/none.js HTTP/1.1\r\nHost: x" + END_OF_HEAD, 404, "not-found", "*"),
        new Case(UPGRADE.replace("GET", "PUT"), 405, "bad-method", APP),
        new Case("PUT /sluice.js HTTP/1.1\r\nHost: x" + END_OF_HEAD, 405, "bad-method", "*"),
        new Case(post.replace("POST", "PUT") + "\r\n", 405, "bad-method", APP),
        new Case(post + "Content-Length: 2000000" + END_OF_HEAD, 413, "body-too-large", APP),
        new Case(
            post + "Transfer-Encoding: chunked\r\n\r\n180000\r\n" + "x".repeat(0x180000),
            413,
            "body-too-large",
            APP),
        new Case(with("/ws", "/ws?" + "a".repeat(20_000)), 414, "uri-too-long", "*"),
        new Case(with("Version: 13", "Version: 8"), 426, "bad-version", APP),
        new Case(
            with("Origin", "Cookie: a=" + "b".repeat(17_000) + "\r\nOrigin"),
            431,
            "headers-too-large",
            "*"),
        new Case(
            with("Host: x", origin + "Accept: *\r\nCookie: a=" + "b".repeat(300_000)),
            431,
            "headers-too-large",
            APP),
        new Case(
            post + "Accept: *\r\nCookie: a=" + "b".repeat(17_000) + END_OF_HEAD,
            431,
            "headers-too-large",
            APP));
  }

  /** Response: its status, headers in lower case, and body. */
  private record Response(int status, Map<String, String> headers, String body) {
    static Response of(String text) {
      assertThat(text).startsWith("HTTP/1.").contains(END_OF_HEAD);
      int end = text.indexOf(END_OF_HEAD);
      String[] lines = text.substring(0, end).split("\r\n");
      Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      for (int i = 1; i < lines.length; i++) {
        int colon = lines[i].indexOf(':');
        headers.put(lines[i].substring(0, colon), lines[i].substring(colon + 1).strip());
      }
      int from = end + END_OF_HEAD.length();
      int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      int to = Math.min(text.length(), from + length);
      return new Response(
          Integer.parseInt(lines[0].substring(9, 12)), headers, text.substring(from, to));
    }
  }

  private static Response response(Socket socket, String request) throws IOException {
    try {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
    } catch (IOException e) {
      // The node has answered and no longer reads.
    }
    String head = DirectUpgradeIT.readTo(socket, END_OF_HEAD);
    return Response.of(head.endsWith("}\n") ? head : head + DirectUpgradeIT.readTo(socket, "}\n"));
  }

  private static void assertRefusal(Response response, Case expected) throws IOException {
    assertThat(response.status()).as(response.toString()).isEqualTo(expected.status());
    assertThat(response.headers())
        .containsEntry("content-type", "application/json")
        .containsEntry("cache-control", "no-store");
    assertThat(response.headers().get("access-control-allow-origin")).isEqualTo(expected.cors());
    assertThat(response.headers().containsKey("access-control-allow-credentials"))
        .isEqualTo(APP.equals(expected.cors()));
    assertThat(response.body()).hasSizeLessThan(400);
    JsonNode body = JSON.readTree(response.body());
    assertThat(body.path("type").asText()).isEqualTo("error");
    assertThat(body.path("code").asText()).isEqualTo(expected.code());
    assertThat(body.path("message").asText()).isNotEmpty();
    boolean later = expected.status() == 429 || expected.status() == 503;
    assertThat(response.headers().containsKey("retry-after")).isEqualTo(later);
  }

  private static double refused(TestNode node, String cause) {
    return node.metric("sluice_handshakes_refused_total{cause=\"" + cause + "\"}");
  }

  private static void assertLogged(LoggedEvents logged, Case expected) {
    String name = expected.code().equals("origin") ? "client.origin-refused" : "client.refused";
    await().until(() -> !logged.names().isEmpty());
    assertThat(logged.names()).as(logged.pairs(name).toString()).containsExactly(name);
    assertThat(logged.pairs(name)).contains("address=\"127.0.0.1\"");
  }

  private static String begin(String request) {
    return request.substring(0, Math.min(request.length(), 120));
  }

  private static void assertRefuses(Via via, TestNode node, Case expected) throws IOException {
    String cause = String.valueOf(expected.status());
    double before = refused(node, cause);
    try (Socket socket = via.connect(node)) {
      assertRefusal(response(socket, expected.request()), expected);
    } catch (AssertionError e) {
      throw new AssertionError(expected.code() + " for " + begin(expected.request()), e);
    }
    await(expected.code() + " for " + begin(expected.request()))
        .until(() -> refused(node, cause) == before + 1);
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource
  void shouldExplainEachRefusal(Via via) throws Exception {
    Set<String> causes = new TreeSet<>();
    try (LoggedEvents logged = LoggedEvents.of(RefusalLog.class, Level.INFO);
        TestNode node = TestNode.start(via.config())) {
      for (Case expected : cases()) {
        assertRefuses(via, node, expected);
        causes.add(expected.code());
      }
      await().until(() -> logged.names().size() == causes.size()); // one each in a minute
      assertThat(logged.names()).contains("client.refused", "client.origin-refused");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldAcceptHeadersBelowTheLimit(Via via) throws Exception {
    try (TestNode node = TestNode.start(via.config())) {
      String large = "Cookie: a=" + "b".repeat(15_000) + "\r\nOrigin";
      for (String request :
          List.of(with("Origin", large), with("/ws", "/ws?" + "a".repeat(15_000)))) {
        try (Socket socket = via.connect(node)) {
          DirectUpgradeIT.send(socket, request);
          assertThat(DirectUpgradeIT.readTo(socket, END_OF_HEAD)).startsWith("HTTP/1.1 101");
        }
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource
  void shouldAnswerRequestsThatAreNotCompleteInTime(Via via) throws Exception {
    Config config = via.config().with(TimeoutSettings.HANDSHAKE, Duration.ofMillis(500));
    List<String> requests =
        List.of(
            "GET /ws HTT",
            UPGRADE.substring(0, 100),
            "POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{}");
    for (String request : requests) {
      Case expected = new Case(request, 408, "timeout", "*");
      try (LoggedEvents logged = LoggedEvents.of(RefusalLog.class, Level.INFO);
          TestNode node = TestNode.start(config);
          Socket socket = via.connect(node)) {
        assertRefusal(response(socket, request), expected);
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
        await().until(() -> refused(node, "timeout") == 1);
        assertLogged(logged, expected);
      }
    }
  }

  /** A browser that opens a connection ahead of time would show an error page. */
  @ParameterizedTest
  @EnumSource
  void shouldCloseConnectionsWithoutARequestSilently(Via via) throws Exception {
    Config config = via.config().with(TimeoutSettings.HANDSHAKE, Duration.ofMillis(500));
    try (TestNode node = TestNode.start(config);
        Socket silent = DirectUpgradeIT.connect(node);
        Socket answered = via.connect(node)) {
      DirectUpgradeIT.send(answered, "GET /none HTTP/1.1\r\nHost: x" + END_OF_HEAD);
      assertThat(DirectUpgradeIT.readAll(answered).split("HTTP/1.1", -1)).hasSize(2);
      assertThat(DirectUpgradeIT.readAll(silent)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = "TLS", mode = EnumSource.Mode.EXCLUDE) // rejected before the handshake
  void shouldExplainLimitsOfTheAddress(Via via) throws Exception {
    Config config = via.config().with(LimitSettings.ADDRESS_CONNECTIONS, 1);
    Case expected = new Case(UPGRADE, 429, "too-many", APP);
    try (LoggedEvents logged = LoggedEvents.of(RefusalLog.class, Level.INFO);
        TestNode node = TestNode.start(config);
        Socket first = via.connect(node)) {
      DirectUpgradeIT.send(first, UPGRADE);
      DirectUpgradeIT.readTo(first, END_OF_HEAD);
      assertRefuses(via, node, expected);
      assertLogged(logged, expected);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldExplainThatItDrains(Via via) throws Exception {
    Case expected = new Case(UPGRADE, 503, "draining", APP);
    try (LoggedEvents logged = LoggedEvents.of(RefusalLog.class, Level.INFO);
        TestNode node = TestNode.start(via.config())) {
      assertThat(node.command("/drain").statusCode()).isEqualTo(202);
      assertRefuses(via, node, expected);
      assertLogged(logged, expected);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TLS"})
  void shouldExplainThatItRequiresTls(Via via) throws Exception {
    Case expected = new Case(UPGRADE, 400, "tls-required", "*");
    try (LoggedEvents logged = LoggedEvents.of(RefusalLog.class, Level.INFO);
        TestNode node = TestNode.start(via.config());
        Socket socket = DirectUpgradeIT.connect(node)) {
      assertRefusal(response(socket, UPGRADE), expected);
      await().until(() -> refused(node, "tls") == 1);
      assertLogged(logged, expected);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BARE_SOCKET", "VERTX"})
  void shouldExplainThatItRequiresAProxyHeader(Via via) throws Exception {
    Config config =
        via.config()
            .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.1"))
            .with(ServerSettings.PROXY_PROTOCOL, true);
    Case expected = new Case(UPGRADE, 400, "proxy-protocol", "*");
    try (LoggedEvents logged = LoggedEvents.of(RefusalLog.class, Level.INFO);
        TestNode node = TestNode.start(config);
        Socket socket = via.connect(node)) {
      assertRefusal(response(socket, UPGRADE), expected);
      await().until(() -> refused(node, "proxy-protocol") == 1);
      assertLogged(logged, expected);
    }
  }
}
