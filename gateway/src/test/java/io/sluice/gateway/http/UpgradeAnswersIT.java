package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.ClientFrame;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers to upgrade requests that are read directly from sockets: byte for byte those of a node on
 * NIO, all of whose requests Vert.x reads.
 */
@Timeout(180)
@Isolated("observes the whole process")
final class UpgradeAnswersIT {
  private static final String HEADERS = String.join("", DirectUpgradeIT.LINES);
  private static final String UPGRADE = "GET /ws HTTP/1.1\r\n" + HEADERS + "\r\n";
  private static final String ECHO = "GET /echo HTTP/1.1\r\n" + HEADERS + "\r\n";
  private static final String REFUSED = "GET /ws HTTP/1.1\r\nHost: x\r\n\r\n";

  private static final String FRAMES =
      frame(ClientFrame.text("first".getBytes(UTF_8)))
          + frame(ClientFrame.text("x".repeat(3000).getBytes(UTF_8)))
          + frame(ClientFrame.close(1000, ""));

  private static final List<String> REQUESTS =
      List.of(
          // the request line
          "GET /ws? HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET /ws?auth=negotiate&a=%zz HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET /ws;a=b HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET /ws/ HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET //ws HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET /./ws HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET /%77s HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET /ws#a HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET http://x/ws HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET * HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET  /ws HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET /ws  HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET /ws HTTP/1.2\r\n" + HEADERS + "\r\n",
          "GET /ws HTTP/1.0\r\n" + HEADERS + "\r\n",
          "GET /ws HTTP/2.0\r\n" + HEADERS + "\r\n",
          "GET /ws\r\n" + HEADERS + "\r\n",
          "HEAD /ws HTTP/1.1\r\n" + HEADERS + "\r\n",
          "get /ws HTTP/1.1\r\n" + HEADERS + "\r\n",
          "\r\n" + UPGRADE,
          "\0" + UPGRADE,
          // ends of lines and unusual bytes
          UPGRADE.replace("\r\n", "\n"),
          with("a: b\n"),
          with("a: b\rc: d\r\n"),
          with("a: b\r\r\n"),
          with("a: b\r\n c\r\n"),
          with("a: b\r\n\tc\r\n"),
          with(" a: b\r\n"),
          with("a: b\0c\r\n"),
          with("a: b\u0001c\r\n"),
          with("a: \u00e9\r\n"),
          with("a\u00e9: b\r\n"),
          with("a : b\r\n"),
          with(": b\r\n"),
          with("a\r\n"),
          with("a:\r\n"),
          with("a: \t \r\n"),
          with("a(b: c\r\n"),
          // headers more than once
          with("Host: y\r\n"),
          with("HOST: x\r\n"),
          with("Upgrade: h2c\r\n"),
          with("Upgrade: websocket, h2c\r\n"),
          with("Connection: keep-alive\r\n"),
          with("Connection: close\r\n"),
          with("Connection: a,, Upgrade ,close\r\n"),
          with("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
          with("Sec-WebSocket-Version: 13\r\n"),
          with("Origin: https://app.example\r\n"),
          with("Origin: https://other.example\r\n"),
          with("Cookie: a=b\r\nCookie: c=d\r\n"),
          with("Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"),
          with("Sec-WebSocket-Protocol: sluice.v1.bin\r\n"),
          with("Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=9\r\n"),
          // headers missing or with other values
          without("Host"),
          without("Upgrade"),
          without("Connection"),
          without("Sec-WebSocket-Version"),
          without("Sec-WebSocket-Key"),
          without("Sec-WebSocket-Protocol"),
          without("Sec-WebSocket-Extensions"),
          without("Origin"),
          without("Sec-WebSocket-Version", "Sec-WebSocket-Version: 8"),
          without("Sec-WebSocket-Key", "Sec-WebSocket-Key: short"),
          without("Sec-WebSocket-Protocol", "Sec-WebSocket-Protocol: other"),
          without("Sec-WebSocket-Protocol", "Sec-WebSocket-Protocol: a b"),
          without("Sec-WebSocket-Extensions", "Sec-WebSocket-Extensions: a;;"),
          without("Sec-WebSocket-Extensions", "Sec-WebSocket-Extensions: permessage-deflate"),
          without("Origin", "Origin: null"),
          without("Connection", "connection: KEEP-ALIVE, upgrade"),
          // bodies
          with("Content-Length: 0\r\n"),
          with("Content-Length: 5\r\n") + "hello",
          with("Content-Length: 5\r\nContent-Length: 6\r\n") + "hello!",
          with("Content-Length: -1\r\n"),
          with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n",
          with("Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n0\r\n\r\n",
          with("Transfer-Encoding: chunked, identity\r\n") + "0\r\n\r\n",
          with("Expect: 100-continue\r\n"),
          "POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + "b".repeat(100_000),
          // sizes
          with("a: b\r\n".repeat(23)),
          with("a: b\r\n".repeat(24)),
          with("a: b\r\n".repeat(25)),
          with("a: b\r\n".repeat(300)),
          with("a: " + "b".repeat(8100) + "\r\n"),
          with("a: " + "b".repeat(9000) + "\r\n"),
          "GET /ws?" + "a".repeat(4070) + " HTTP/1.1\r\n" + HEADERS + "\r\n",
          "GET /ws?" + "a".repeat(5000) + " HTTP/1.1\r\n" + HEADERS + "\r\n",
          // several requests
          REFUSED.repeat(20),
          REFUSED + UPGRADE,
          "GET /none HTTP/1.1\r\nHost: x\r\n\r\n" + UPGRADE,
          // frames behind the request
          ECHO + FRAMES,
          REFUSED + ECHO + FRAMES,
          with("Transfer-Encoding: chunked\r\n").replace("/ws", "/echo") + "0\r\n\r\n" + FRAMES);

  private static String frame(ClientFrame frame) {
    return new String(frame.bytes(), ISO_8859_1);
  }

  private static String with(String lines) {
    return "GET /ws HTTP/1.1\r\n" + HEADERS + lines + "\r\n";
  }

  private static String without(String name, String... others) {
    List<String> lines = new ArrayList<>(List.of(DirectUpgradeIT.LINES));
    assertThat(lines.removeIf(line -> line.startsWith(name + ":"))).isTrue();
    for (String other : others) {
      lines.add(other + "\r\n");
    }
    return "GET /ws HTTP/1.1\r\n" + String.join("", lines) + "\r\n";
  }

  private static Config config(String transport) {
    return DirectUpgradeIT.config(transport).with(ServerSettings.ECHO, true);
  }

  private static String answer(TestNode node, String request) throws IOException {
    try (Socket socket = DirectUpgradeIT.connect(node)) {
      DirectUpgradeIT.send(socket, request + DirectUpgradeIT.END);
      return DirectUpgradeIT.readAll(socket);
    }
  }

  private static void compare(TestNode direct, TestNode vertx, List<String> requests)
      throws IOException {
    assumeThat(direct.clients().transport()).isNotEqualTo(vertx.clients().transport());
    for (String request : requests) {
      String expected = answer(vertx, request);
      assertThat(answer(direct, request)).as(request).isEqualTo(expected);
    }
    assertThat(counts(direct)).isEqualTo(counts(vertx)).isNotEmpty();
  }

  private static String counts(TestNode node) {
    return node.admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.matches("sluice_(handshakes_refused|limits_reached)_total.*"))
        .sorted()
        .collect(Collectors.joining("\n"));
  }

  @Test
  void shouldAnswerEachRequestLikeVertx() throws Exception {
    try (TestNode direct = TestNode.start(config("auto"));
        TestNode vertx = TestNode.start(config("nio"))) {
      compare(direct, vertx, REQUESTS);
    }
  }

  @Test
  void shouldApplyTheMaximumSizeOfHeadersLikeVertx() throws Exception {
    List<String> requests = new ArrayList<>();
    int others = with("a: \r\n").length();
    for (int length = 1024 - 100; length < 1024 + 100; length++) {
      requests.add(with("a: " + "b".repeat(length - others) + "\r\n"));
    }
    try (TestNode direct = TestNode.start(config("auto"), LimitSettings.HANDSHAKE_BYTES, 1024L);
        TestNode vertx = TestNode.start(config("nio"), LimitSettings.HANDSHAKE_BYTES, 1024L)) {
      compare(direct, vertx, requests);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(
      strings = {"127.0.0.1", "0.0.0.0"}) // the second on a socket of IPv6, if there are any
  void shouldReadAddressesOfTrustedProxiesLikeVertx(String host) throws Exception {
    String client = "X-Forwarded-For: 192.0.2.1";
    List<String> requests =
        List.of(
            with(client + "\r\n"),
            with("x-forwarded-for:192.0.2.1\r\n"),
            with("X-Forwarded-For: 198.51.100.1, 192.0.2.1\r\n"),
            with("X-Forwarded-For: 198.51.100.2\r\n" + client + "\r\n"),
            with(client + "\r\nX-Forwarded-For: 198.51.100.3\r\n"),
            with("X-Forwarded-For: 192.0.2.1:80\r\n"),
            with("X-Forwarded-For: ::ffff:192.0.2.1\r\n"),
            with("X-Forwarded-For: 192.0.2.1, 127.0.0.1\r\n"),
            with("X-Forwarded-For: nobody, 192.0.2.1\r\n"),
            with("X-Forwarded-For: 192.0.2.1, 198.51.100.4\r\n"));
    try (TestNode direct = TestNode.start(proxied("auto"), ServerSettings.HOST, host);
        TestNode vertx = TestNode.start(proxied("nio"), ServerSettings.HOST, host);
        Socket held = DirectUpgradeIT.connect(direct);
        Socket alsoHeld = DirectUpgradeIT.connect(vertx)) {
      for (Socket socket : List.of(held, alsoHeld)) {
        DirectUpgradeIT.send(socket, with(client + "\r\n"));
        DirectUpgradeIT.readTo(socket, "HTTP/1.1 101");
      }
      assertThat(answer(vertx, requests.get(0))).startsWith("HTTP/1.1 429");
      assertThat(answer(direct, requests.get(0))).startsWith("HTTP/1.1 429");
      compare(direct, vertx, requests);
    }
  }

  private static Config proxied(String transport) {
    return config(transport)
        .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.1"))
        .with(LimitSettings.ADDRESS_CONNECTIONS, 1);
  }

  @Test
  void shouldReadARequestAndItsFramesByteByByte() throws Exception {
    String all = REFUSED + ECHO + FRAMES;
    try (TestNode direct = TestNode.start(config("auto"));
        TestNode vertx = TestNode.start(config("nio"));
        Socket other = DirectUpgradeIT.connect(direct);
        Socket socket = DirectUpgradeIT.connect(direct)) {
      for (int i = 0; i < REFUSED.length() + ECHO.length() + 20; i++) {
        DirectUpgradeIT.send(socket, all.substring(i, i + 1));
        DirectUpgradeIT.exchange(other); // the node reads meanwhile
      }
      DirectUpgradeIT.send(socket, all.substring(REFUSED.length() + ECHO.length() + 20));
      assertThat(DirectUpgradeIT.readAll(socket)).isEqualTo(answer(vertx, all));
    }
  }

  @Tag("full")
  @Test
  void shouldReleaseDescriptorsBuffersAndHandshakesOfEachStep() throws Exception {
    String partial = "GET /ws?" + "a".repeat(2000); // its copies would be noticed
    List<String> steps =
        List.of(
            "", partial, REFUSED, REFUSED + partial, UPGRADE, UPGRADE + "\u0081", ECHO + FRAMES);
    Config config = config("auto").with(TimeoutSettings.HANDSHAKE, Duration.ofSeconds(5));
    try (BufferWatch buffers = new BufferWatch();
        TestNode node = TestNode.start(config)) {
      buffers.mark();
      int before = descriptors();
      for (int i = 0; i < 100 * steps.size(); i++) {
        Socket socket = DirectUpgradeIT.connect(node);
        DirectUpgradeIT.send(socket, steps.get(i % steps.size()));
        socket.setSoLinger(i % 2 == 0, 0); // a reset
        socket.close();
      }
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () -> {
                assertThat(descriptors()).isLessThan(before + 20);
                assertThat(node.gateway().connections()).isZero();
              });
      buffers.awaitMemoryBack();
      assertOnlyOneExpires(node);
    }
  }

  // A handshake that was left behind would expire before that of a later connection.
  private static void assertOnlyOneExpires(TestNode node) throws IOException {
    try (Socket silent = DirectUpgradeIT.connect(node)) {
      assertThat(DirectUpgradeIT.readAll(silent)).isEmpty();
    }
    assertThat(node.metric("sluice_handshakes_refused_total{cause=\"timeout\"}")).isEqualTo(1);
  }

  private static int descriptors() {
    return new File("/proc/self/fd").list().length;
  }
}
