package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.ClientFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Upgrades that are read directly from sockets, compared with those of a node on NIO, all of whose
 * requests Vert.x reads.
 */
@Timeout(180)
final class DirectUpgradeIT {
  static final String END = "GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  private static final String PING = "{\"type\":\"ping\",\"ref\":7}";
  private static final String PONG = "{\"type\":\"pong\",\"ref\":7";

  static final String[] LINES = {
    "Host: x\r\n",
    "Upgrade: websocket\r\n",
    "Connection: Upgrade\r\n",
    "Sec-WebSocket-Version: 13\r\n",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    "Sec-WebSocket-Protocol: sluice.v1.json\r\n",
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n",
    "Origin: https://app.example\r\n",
  };

  /** Lines and parts of lines that mutations add. */
  private static final String[] PARTS = {
    "Host: y\r\n",
    "Origin: https://other.example\r\n",
    "Sec-WebSocket-Version: 8\r\n",
    "Sec-WebSocket-Protocol: other\r\n",
    "Sec-WebSocket-Protocol: sluice.v1.bin, a b\r\n",
    "Sec-WebSocket-Protocol: sluice.bearer.!!\r\n",
    "Sec-WebSocket-Extensions: ;\r\n",
    "Authorization: Bearer abc\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: x\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Expect: 100-continue\r\n",
    "X-Forwarded-For: 192.0.2.1\r\n",
    "Cookie: a=b\r\n",
    "Upgrade: h2c\r\n",
    "a : b\r\n",
    " folded\r\n",
    "\u00e9",
    "\0",
    "\n",
    "\r",
  };

  private static final String[] FIRST_LINES = {
    "GET /ws HTTP/1.1\r\n",
    "GET /ws HTTP/1.1\r\n",
    "GET /ws?a=b&auth=negotiate HTTP/1.1\r\n",
    "GET /ws HTTP/1.0\r\n",
    "POST /ws HTTP/1.1\r\n",
    "GET /nothing HTTP/1.1\r\n",
    "GET /%77s HTTP/1.1\r\n",
    "GET /ws#a HTTP/1.1\r\n",
    "GET http://x/ws HTTP/1.1\r\n",
    "GET /stream HTTP/1.1\r\n",
  };

  static Config config(String transport) {
    return TestNode.unlimited(TestNode.config("artemis", "tcp://127.0.0.1:1"))
        .with(ServerSettings.TRANSPORT, transport)
        .with(ServerSettings.HSTS, Duration.ofDays(1))
        .with(ServerSettings.ALLOWED_ORIGINS, List.of("https://app.example"));
  }

  static Socket connect(TestNode node) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.gateway().port());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(20_000);
    return socket;
  }

  static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  static String readAll(Socket socket) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] some = new byte[4096];
    try {
      for (int n = socket.getInputStream().read(some); n > 0; ) {
        all.write(some, 0, n);
        n = socket.getInputStream().read(some);
      }
    } catch (SocketException reset) {
      // The node closed with unread bytes.
    }
    return all.toString(ISO_8859_1);
  }

  static String readTo(Socket socket, String expected) throws IOException {
    StringBuilder seen = new StringBuilder();
    byte[] some = new byte[4096];
    while (seen.indexOf(expected) < 0) {
      int count = socket.getInputStream().read(some);
      assertThat(count).as("still open after %s", seen).isPositive();
      seen.append(new String(some, 0, count, ISO_8859_1));
    }
    return seen.toString();
  }

  /** Returns the response, with its header lines in order. */
  private static List<String> answer(TestNode node, String request) throws IOException {
    try (Socket socket = connect(node)) {
      send(socket, request + END);
      String all = readAll(socket);
      int end = all.indexOf("\r\n\r\n");
      String head = end < 0 ? all : all.substring(0, end);
      List<String> lines = new ArrayList<>(Arrays.asList(head.split("\r\n")));
      lines.subList(1, lines.size()).sort(null);
      lines.add(end < 0 ? "" : body(all.substring(end + 4)));
      return lines;
    }
  }

  // Header lines of the second response have no certain order.
  private static String body(String rest) {
    int next = rest.indexOf("HTTP/1.1 ");
    return next < 0 ? rest : rest.substring(0, Math.min(rest.length(), next + 12));
  }

  private static String request(Random random) {
    StringBuilder text = new StringBuilder(FIRST_LINES[random.nextInt(FIRST_LINES.length)]);
    List<String> lines = new ArrayList<>(List.of(LINES));
    for (int changes = random.nextInt(3); changes > 0; changes--) {
      int at = random.nextInt(lines.size());
      switch (random.nextInt(3)) {
        case 0 -> lines.remove(at);
        case 1 -> lines.add(at, PARTS[random.nextInt(PARTS.length)]);
        default -> lines.add(lines.get(at));
      }
    }
    lines.forEach(text::append);
    return text.append("\r\n").toString();
  }

  @Test
  void shouldAnswerLikeVertx() throws Exception {
    Random random = new Random(2026);
    int upgrades = 0;
    try (TestNode direct = TestNode.start(config("auto"));
        TestNode vertx = TestNode.start(config("nio"))) {
      for (int i = 0; i < 600; i++) {
        String request = request(random);
        List<String> expected = answer(vertx, request);
        assertThat(answer(direct, request)).as("request %d: %s", i, request).isEqualTo(expected);
        upgrades += expected.get(0).contains("101") ? 1 : 0;
      }
      assertThat(upgrades).isBetween(50, 500);
      assertThat(Stream.of(direct, vertx).map(DirectUpgradeIT::refused).distinct()).hasSize(1);
    }
  }

  private static double refused(TestNode node) {
    return node.metric("sluice_handshakes_refused_total{cause=\"400\"}");
  }

  @Test
  void shouldUpgradeARequestThatIsSplitAtAnyByte() throws Exception {
    String request = "GET /ws HTTP/1.1\r\n" + String.join("", LINES) + "\r\n";
    byte[] ping = ClientFrame.text(PING.getBytes(UTF_8)).bytes();
    try (TestNode node = TestNode.start(config("auto"));
        Socket other = connect(node)) {
      for (int split = 1; split < request.length(); split++) {
        try (Socket socket = connect(node)) {
          send(socket, request.substring(0, split));
          exchange(other);
          send(socket, request.substring(split));
          readTo(socket, "HTTP/1.1 101 Switching Protocols\r\n");
          socket.getOutputStream().write(ping);
          readTo(socket, PONG);
        }
      }
      awaitNoConnections(node);
    }
  }

  /** Exchanges a request, during which the node reads other sockets. */
  static void exchange(Socket socket) throws IOException {
    send(socket, "GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
    readTo(socket, "nothing at this path");
  }

  private static void awaitNoConnections(TestNode node) {
    await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertThat(node.gateway().connections()).isZero());
  }

  @Test
  void shouldServeFurtherRequestsAfterARefusal() throws Exception {
    try (TestNode node = TestNode.start(config("auto"));
        Socket socket = connect(node)) {
      for (int i = 0; i < 3; i++) {
        send(socket, "GET /ws HTTP/1.1\r\nHost: x\r\n\r\n");
        readTo(socket, "the Upgrade header does not name websocket\"}\n");
      }
      send(socket, "GET /ws HTTP/1.1\r\n" + String.join("", LINES) + "\r\n");
      readTo(socket, "HTTP/1.1 101");
    }
  }

  @Test
  void shouldCloseConnectionsWithoutACompleteRequestAtTheDeadline() throws Exception {
    try (TestNode node =
            TestNode.start(config("auto"), TimeoutSettings.HANDSHAKE, Duration.ofMillis(500));
        Socket silent = connect(node);
        Socket partial = connect(node);
        Socket refused = connect(node)) {
      send(partial, "GET /ws HTTP/1.1\r\nHost");
      send(refused, "GET /ws HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(readAll(silent)).isEmpty();
      assertThat(readAll(partial)).startsWith("HTTP/1.1 408 ");
      assertThat(readAll(refused)).startsWith("HTTP/1.1 400");
      await()
          .untilAsserted(
              () ->
                  assertThat(node.metric("sluice_handshakes_refused_total{cause=\"timeout\"}"))
                      .isEqualTo(3));
    }
  }

  @Test
  void shouldCloseTheOldestSilentConnectionPastTheLimit() throws Exception {
    Config config =
        config("auto")
            .with(LimitSettings.ADDRESS_CONNECTIONS, 2)
            .with(ServerSettings.EVENT_LOOPS, 1); // several could change their order
    try (TestNode node = TestNode.start(config);
        Socket first = connect(node);
        Socket second = connect(node);
        Socket third = connect(node)) {
      assertThat(readAll(first)).isEmpty();
      send(second, "GET /ws HTTP/1.1\r\n" + String.join("", LINES) + "\r\n");
      readTo(second, "HTTP/1.1 101");
      send(third, "GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
      readTo(third, "HTTP/1.1 404");
    }
  }

  @Test
  void shouldReleaseConnectionsThatEndBeforeTheirRequest() throws Exception {
    Config config = config("auto").with(LimitSettings.ADDRESS_CONNECTIONS, 2);
    try (TestNode node = TestNode.start(config)) {
      for (int i = 0; i < 200; i++) {
        Socket socket = connect(node);
        if (i % 3 == 0) {
          socket.setSoLinger(true, 0); // reset
        } else if (i % 3 == 1) {
          socket.shutdownOutput();
          assertThat(readAll(socket)).isEmpty();
        }
        socket.close();
      }
      try (Socket socket = connect(node)) {
        send(socket, "GET /ws HTTP/1.1\r\n" + String.join("", LINES) + "\r\n");
        readTo(socket, "HTTP/1.1 101");
      }
      awaitNoConnections(node);
    }
  }
}
