package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.http.Pages;
import io.sluice.testkit.ClientFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Upgrades with unusual timing. */
class SocketHandoverIT {
  private static final String HANDSHAKE =
      "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

  // The demo's page is read by a worker thread, so the next pipelined request is queued.
  private static final String PAGE = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

  private Gateway gateway;

  @BeforeEach
  void start() throws Exception {
    gateway = Gateway.start(TestNode.config("artemis", "tcp://127.0.0.1:1"), Pages.demo());
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private Socket send(byte[]... parts) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
    socket.setSoTimeout(10_000);
    socket.getOutputStream().write(joined(parts));
    return socket;
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] ping() {
    return ClientFrame.text("{\"type\":\"ping\",\"ref\":7}".getBytes(StandardCharsets.UTF_8))
        .bytes();
  }

  private static String awaitText(Socket socket, String expected) throws IOException {
    StringBuilder seen = new StringBuilder();
    InputStream in = socket.getInputStream();
    byte[] some = new byte[4096];
    while (seen.indexOf(expected) < 0) {
      int count = in.read(some);
      assertThat(count).as("still open after %s", seen).isPositive();
      seen.append(new String(some, 0, count, StandardCharsets.ISO_8859_1));
    }
    return seen.toString();
  }

  @Test
  void shouldAnswerAFrameDirectlyAfterTheHandshake() throws Exception {
    try (Socket socket = send(ascii(HANDSHAKE), ping())) {
      awaitText(socket, "{\"type\":\"pong\",\"ref\":7");
    }
    awaitNoConnections();
  }

  @Tag("full")
  @Test
  void shouldUpgradeAfterAPipelinedRequest() throws Exception {
    try (Socket socket = send(ascii(PAGE), ascii(HANDSHAKE))) {
      String answers = awaitText(socket, "HTTP/1.1 101");
      assertThat(answers).startsWith("HTTP/1.1 200 OK");
      assertThat(answers.substring(0, answers.indexOf("HTTP/1.1 101"))).endsWith("</html>\n");
      socket.getOutputStream().write(ping());
      awaitText(socket, "{\"type\":\"pong\",\"ref\":7");
    }
    awaitNoConnections();
  }

  @Tag("full")
  @Test
  void shouldNotCountClientsThatDisconnectBeforeTheUpgrade() throws Exception {
    for (int i = 0; i < 200; i++) {
      Socket socket = send(ascii(PAGE), ascii(HANDSHAKE));
      if (i % 2 == 0) {
        socket.setSoLinger(true, 0); // reset
      }
      socket.close();
    }
    awaitNoConnections();
  }

  @Test
  void shouldHandleAnUpgradeWithABody() throws Exception {
    String withBody = HANDSHAKE.replace("Host: x", "Host: x\r\nContent-Length: 5");
    try (Socket socket = send(ascii(withBody), ascii("hello"), ping())) {
      awaitText(socket, "HTTP/1.1 ");
    }
    awaitNoConnections();
  }

  private void awaitNoConnections() {
    await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertThat(gateway.connections()).isZero());
  }
}
