package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.admission.RefusalLog;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.LoggedEvents;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid and invalid HTTP requests for streams, byte for byte, to a node without a broker. */
@Timeout(180)
@Isolated("observes the whole process")
final class StreamRequestIT {
  private static final String APP = "https://app.example.com";
  private static final String PING = "{\"type\":\"ping\",\"ref\":7}";
  private static final String PONG = "{\"type\":\"pong\",\"ref\":7";

  /** A subscription, which remains pending without a broker. */
  private static final String STAY = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"t\"}";

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1");
  }

  private static TestNode start() {
    return TestNode.start(config());
  }

  private static <T> TestNode start(Setting<T> setting, T value) {
    return TestNode.start(config(), setting, value);
  }

  private static Socket connect(SocketFactory sockets, int port) throws IOException {
    Socket socket = sockets.createSocket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout((int) TIMEOUT.toMillis());
    return socket;
  }

  private static Socket send(TestNode node, String text) throws IOException {
    Socket socket = connect(SocketFactory.getDefault(), node.gateway().port());
    send(socket, text);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(UTF_8));
  }

  private static String post(String body) {
    return "POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  /** Reads up to an expected text. Returns all bytes read. */
  private static String readTo(Socket socket, String expected) throws IOException {
    StringBuilder seen = new StringBuilder();
    InputStream in = socket.getInputStream();
    while (seen.indexOf(expected) < 0) {
      int next = in.read();
      assertThat(next).as("still open after %s", seen).isNotNegative();
      seen.append((char) next);
    }
    return seen.toString();
  }

  private static String readToEnd(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
  }

  private static double refused(TestNode node, String cause) {
    return node.metric("sluice_handshakes_refused_total{cause=\"" + cause + "\"}");
  }

  private static void assertRefused(RawWebSocket.Request request, int status, String why) {
    try (RawWebSocket refused = request.attempt()) {
      assertThat(refused.status()).isEqualTo(status);
      assertThat(refused.body()).contains(why);
    }
  }

  private static void assertServed(RawWebSocket.Request request) {
    try (RawWebSocket stream = request.open()) {
      assertThat(stream.await("pong").get("ref").asInt()).isEqualTo(7);
      assertThat(stream.awaitClose()).isEqualTo(1000);
      assertThat(stream.readFrame()).as("what follows the close frame").isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", " \r\n\t\n"})
  void shouldRejectABlankBody(String body) {
    try (TestNode node = start()) {
      assertRefused(node.request().post("", body.getBytes(UTF_8)), 400, "no frames");
      assertThat(refused(node, "400")).isEqualTo(1);
    }
  }

  @Test
  void shouldRejectABodyThatIsNotUtf8() {
    try (TestNode node = start()) {
      byte[] wrong = {'{', (byte) 0xC0, '}'};
      byte[] cut = {'{', '}', (byte) 0xE2, (byte) 0x82};
      assertRefused(node.request().post("", wrong), 400, "UTF-8");
      assertRefused(node.request().post("", cut), 400, "UTF-8");
    }
  }

  @Test
  void shouldRefuseUnknownProtocolsAndMethods() {
    try (TestNode node = start()) {
      assertRefused(node.request().post("?protocol=mqtt", PING.getBytes(UTF_8)), 400, "protocol");
      try (RawWebSocket get = node.request().requestLine("GET /stream HTTP/1.1").attempt()) {
        assertThat(get.status()).isEqualTo(405);
        assertThat(get.header("Allow")).isEqualTo("POST, OPTIONS");
      }
      assertThat(refused(node, "405")).isEqualTo(1);
    }
  }

  @Test
  void shouldRejectABodyPastTheLimitWithOrWithoutContentLength() {
    byte[] most = padded(4 * 1024);
    byte[] tooMuch = padded(4 * 1024 + 1);
    try (TestNode node = start(LimitSettings.STREAM_BODY_BYTES, 4L * 1024)) {
      assertServed(node.request().post("", most));
      assertServed(chunked(node.request(), most));
      assertRefused(node.request().post("", tooMuch), 413, "longer than 4096");
      assertRefused(chunked(node.request(), tooMuch), 413, "longer than 4096");
      assertThat(refused(node, "413")).isEqualTo(2);
    }
  }

  private static byte[] padded(int size) {
    return (PING + " ".repeat(size - PING.length())).getBytes(UTF_8);
  }

  private static RawWebSocket.Request chunked(RawWebSocket.Request request, byte[] body) {
    String all = new String(body, UTF_8);
    StringBuilder chunks = new StringBuilder();
    for (int i = 0; i < all.length(); i += 1000) {
      String chunk = all.substring(i, Math.min(all.length(), i + 1000));
      chunks.append(Integer.toHexString(chunk.length())).append("\r\n").append(chunk);
      chunks.append("\r\n");
    }
    chunks.append("0\r\n\r\n");
    return request
        .post("", chunks.toString().getBytes(UTF_8))
        .without("Content-Length")
        .set("Transfer-Encoding", "chunked");
  }

  @Test
  void shouldRejectATooLongContentLengthBeforeTheBody() throws Exception {
    try (TestNode node = start();
        Socket socket =
            send(node, "POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n")) {
      assertThat(readTo(socket, "\r\n\r\n")).startsWith("HTTP/1.1 413 ");
    }
  }

  private static String header(String more) {
    return post(PING).replace(PING, "").replace("Host: x", "Host: x\r\n" + more);
  }

  @Test
  void shouldSendContinueOnExpect() throws Exception {
    try (TestNode node = start();
        Socket socket = send(node, header("Expect: 100-continue"))) {
      assertThat(readTo(socket, "\r\n\r\n")).startsWith("HTTP/1.1 100 ");
      send(socket, PING);
      assertThat(readTo(socket, PONG)).startsWith("HTTP/1.1 200 OK\r\n");
    }
  }

  @Test
  void shouldServeHttp10AsItDoes11() throws Exception {
    try (TestNode node = start();
        Socket socket =
            send(
                node,
                "POST /stream HTTP/1.0\r\nContent-Length: " + PING.length() + "\r\n\r\n" + PING)) {
      String answer = readToEnd(socket);
      assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").contains(PONG);
      assertThat(answer.toLowerCase(Locale.ROOT))
          .doesNotContain("transfer-encoding", "content-length");
    }
  }

  @Test
  void shouldSendTheReasonToAnHttp10Client() throws Exception {
    try (TestNode node = start(LimitSettings.STREAM_BODY_BYTES, 1024L);
        Socket socket = send(node, "POST /stream HTTP/1.0\r\nContent-Length: 100000\r\n\r\n")) {
      send(socket, "x".repeat(100_000));
      assertThat(readToEnd(socket)).startsWith("HTTP/1.0 413 ").endsWith("bytes\"}\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "epoll", "io-uring"})
  void shouldIgnoreBytesAfterTheRequest(String transport) throws Exception {
    try (TestNode node = start(ServerSettings.TRANSPORT, transport);
        Socket socket = send(node, post(STAY) + post(PING) + "\u0000\u0001")) {
      assertThat(readTo(socket, "\"type\":\"hello\"")).startsWith("HTTP/1.1 200 OK\r\n");
      for (int i = 0; i < 100; i++) {
        send(socket, "x".repeat(100_000)); // more than any buffer has room for
      }
      assertThat(node.gateway().connections()).isEqualTo(1);
      socket.shutdownOutput();
      assertThat(readToEnd(socket)).doesNotContain("pong", "HTTP/1.1");
      awaitNobody(node.gateway());
    }
  }

  @Test
  void shouldCloseASlowRequest() throws Exception {
    String half = post(STAY).substring(0, post(STAY).length() - 5);
    try (TestNode node = start(TimeoutSettings.HANDSHAKE, Duration.ofMillis(300));
        Socket socket = send(node, half)) {
      assertThat(readToEnd(socket)).startsWith("HTTP/1.1 408 ").contains("\"timeout\"");
      assertThat(refused(node, "timeout")).isEqualTo(1);
    }
  }

  @Tag("full")
  @Test
  void shouldCloseASlowRequestByTls(@TempDir Path folder) throws Exception {
    TestCertificate certificate = TestCertificate.create(folder, "node", "EC");
    Config config =
        config()
            .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
            .with(ServerSettings.TLS_KEY, certificate.key().toString())
            .with(TimeoutSettings.HANDSHAKE, Duration.ofSeconds(3));
    try (TestNode node = TestNode.start(config);
        Socket socket = connect(certificate.trust().getSocketFactory(), node.gateway().port())) {
      send(socket, post(STAY).substring(0, post(STAY).length() - 5));
      assertThat(readToEnd(socket)).startsWith("HTTP/1.1 408 ").contains("\"timeout\"");
      assertThat(refused(node, "timeout")).isEqualTo(1);
    }
  }

  @Test
  void shouldBoundTheBufferedBodies() throws Exception {
    Config config =
        config()
            .with(ServerSettings.EVENT_LOOPS, 1)
            .with(LimitSettings.STREAM_BODY_BYTES, 4L * 1024)
            .with(LimitSettings.STREAM_BODIES_BYTES, 6L * 1024);
    String whole = post(new String(padded(4 * 1024), UTF_8));
    try (TestNode node = TestNode.start(config)) {
      try (Socket half = send(node, whole.substring(0, whole.length() - 1))) {
        awaitStatus(node, whole, "503 ");
        assertThat(half.isClosed()).isFalse();
      }
      awaitStatus(node, whole, "200 ");
    }
  }

  private static void awaitStatus(TestNode node, String request, String status) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              try (Socket socket = send(node, request)) {
                assertThat(readTo(socket, "\r\n")).startsWith("HTTP/1.1 " + status);
              }
            });
  }

  @Test
  void shouldRejectConnectionsPastTheLimit() {
    try (TestNode node =
            TestNode.start(TestNode.unlimited(config()).with(LimitSettings.CONNECTIONS, 2));
        RawWebSocket socket = node.json()) {
      assertThat(socket.status()).isEqualTo(101);
      try (RawWebSocket stream = node.stream(STAY).open();
          RawWebSocket refused = node.stream(STAY).attempt()) {
        assertThat(stream.status()).isEqualTo(200);
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Retry-After")).isNotNull();
        assertThat(refused.body()).contains("limits.per-node.connections (2)");
      }
      await().atMost(TIMEOUT).untilAsserted(() -> assertServed(node.stream(PING)));
    }
  }

  @Test
  void shouldServeOnlyPagesOfItsOrigins() {
    try (TestNode node = start(ServerSettings.ALLOWED_ORIGINS, List.of(APP));
        LoggedEvents logged = LoggedEvents.of(RefusalLog.class)) {
      try (RawWebSocket refused =
          node.stream(STAY).set("Origin", "https://evil.example.com").attempt()) {
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.header("Access-Control-Allow-Origin")).isNull();
        assertThat(logged.names()).contains("client.origin-refused");
      }
      assertThat(node.gateway().connections()).isZero();
      try (RawWebSocket allowed = node.stream(STAY).set("Origin", APP).open();
          RawWebSocket wrong = node.stream("").set("Origin", APP).attempt()) {
        for (RawWebSocket answered : List.of(allowed, wrong)) {
          assertThat(answered.header("Access-Control-Allow-Origin")).isEqualTo(APP);
          assertThat(answered.header("Vary")).isEqualTo("Origin");
        }
        assertThat(wrong.status()).isEqualTo(400);
      }
      assertServed(node.stream(PING)); // not a browser
    }
  }

  @Test
  void shouldSendCorsHeadersWithStatus429() {
    Config config =
        config()
            .with(ServerSettings.ALLOWED_ORIGINS, List.of(APP))
            .with(LimitSettings.ADDRESS_HANDSHAKE_RATE, 1);
    try (TestNode node = TestNode.start(config)) {
      await().atMost(TIMEOUT).until(() -> refusedWithCors(node.stream(PING)));
      await()
          .atMost(TIMEOUT)
          .until(() -> refusedWithCors(node.request().requestLine("OPTIONS /stream HTTP/1.1")));
    }
  }

  /** Returns whether a page is refused by its address's rate, with CORS headers. */
  private static boolean refusedWithCors(RawWebSocket.Request request) {
    try (RawWebSocket answered = request.set("Origin", APP).attempt()) {
      boolean refused = answered.status() == 429;
      if (refused) {
        assertThat(answered.header("Access-Control-Allow-Origin")).isEqualTo(APP);
      }
      return refused;
    }
  }

  @Test
  void shouldAnswerCorsPreflights() throws Exception {
    String ask =
        "OPTIONS /stream HTTP/1.1\r\nHost: x\r\nOrigin: "
            + APP
            + "\r\nAccess-Control-Request-Method: POST\r\n\r\n";
    try (TestNode node = start(ServerSettings.ALLOWED_ORIGINS, List.of(APP));
        Socket socket = send(node, ask)) {
      String answer = readTo(socket, "\r\n\r\n").toLowerCase(Locale.ROOT);
      assertThat(answer)
          .startsWith("http/1.1 204 ")
          .contains("access-control-allow-origin: " + APP + "\r\n")
          .contains("access-control-allow-methods: post\r\n")
          .contains("access-control-allow-headers: content-type\r\n")
          .contains("access-control-max-age: ");
      send(socket, post(PING)); // the connection has stayed
      assertThat(readTo(socket, PONG)).startsWith("HTTP/1.1 200 OK\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldServeAStreamAfterAPageOnTheSameConnection(boolean pipelined) throws Exception {
    String page = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    Gateway gateway = Gateway.start(config(), Pages.demo()); // with the demo's page
    try (Socket socket = connect(SocketFactory.getDefault(), gateway.port())) {
      send(socket, pipelined ? page + post(PING) : page);
      assertThat(readTo(socket, "</html>\n")).startsWith("HTTP/1.1 200 OK\r\n");
      if (!pipelined) {
        send(socket, post(PING));
      }
      assertThat(readTo(socket, PONG)).startsWith("HTTP/1.1 200 OK\r\n");
      readToEnd(socket);
    } finally {
      gateway.close();
    }
  }

  @Test
  void shouldNotCountClientsThatDisconnectBeforeTheResponse() throws Exception {
    try (TestNode node = start()) {
      for (int i = 0; i < 200; i++) {
        Socket socket = send(node, i % 2 == 0 ? post(STAY) : post(STAY).substring(0, 80));
        if (i % 3 == 0) {
          socket.setSoLinger(true, 0); // reset
        }
        socket.close();
      }
      awaitNobody(node.gateway());
      await().atMost(TIMEOUT).until(() -> node.metric("sluice_streams") == 0);
    }
  }

  private static void awaitNobody(Gateway gateway) {
    await().atMost(TIMEOUT).until(() -> gateway.connections() == 0);
  }
}
