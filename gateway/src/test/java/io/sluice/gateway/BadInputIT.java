package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bad input and every limit, each with its documented answer, on real sockets. */
final class BadInputIT {
  // Nothing listens there: what is refused here is refused without a broker.
  private static final Config CONFIG =
      TestNode.config("artemis", "tcp://127.0.0.1:1")
          .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("stocks.>", "chat.*"))
          .with(TopicSettings.PUBLISH_TOPICS, List.of("chat.*"))
          .with(LimitSettings.SUBSCRIPTIONS, 3) // also the burst of new topics
          .with(LimitSettings.CLIENT_ERRORS, 20)
          .with(LimitSettings.PUBLISH_RATE, 5)
          .with(LimitSettings.MESSAGE_BYTES, 2000L);

  private static TestNode node;

  @BeforeAll
  static void startNode() {
    node = TestNode.start(CONFIG);
  }

  @AfterAll
  static void stopNode() {
    node.close();
  }

  @Test
  void shouldCloseAClientThatSendsTooManyMalformedFrames() {
    try (RawWebSocket client = node.json()) {
      client.text(subscribe("stocks.1"));
      for (int i = 0; i < 100; i++) {
        client.text("{\"type\":\"subscribe\",\"ref\":1}");
      }
      assertThat(client.awaitClose()).isEqualTo(4203);
    }
    await().untilAsserted(() -> assertThat(node.metric("sluice_subscriptions")).isZero());
  }

  @Test
  void shouldLimitTheRateOfNewTopics() {
    try (TestNode strict = TestNode.start(CONFIG, LimitSettings.SUBSCRIBE_RATE, 1);
        RawWebSocket client = strict.json()) {
      for (int i = 0; i < 6; i++) {
        client.text(subscribe("stocks." + i));
        client.text("{\"type\":\"unsubscribe\",\"ref\":2,\"topic\":\"stocks." + i + "\"}");
      }
      assertThat(client.await("error").get("code").asText()).isEqualTo("rate-limited");
    }
  }

  @Test
  void shouldRefuseHandshakesWithTooManyHeaders() {
    assertThat(status(node.request().add("X-Filler", "x".repeat(17_000)))).isEqualTo(431);
  }

  @Test
  void shouldLimitThePublishRate() {
    try (RawWebSocket client = node.json()) {
      for (int i = 0; i < 15; i++) {
        client.text(
            "{\"type\":\"publish\",\"ref\":" + i + ",\"topic\":\"chat.1\",\"payload\":\"\"}");
      }
      long limited = 0;
      for (int i = 0; i < 15; i++) {
        limited += client.await("error").get("code").asText().equals("rate-limited") ? 1 : 0;
      }
      assertThat(limited).isBetween(1L, 10L);
    }
  }

  @Test
  void shouldCloseOnBinaryInJson() {
    try (RawWebSocket client = node.json()) {
      client.binary(new byte[] {2, 0, 0});
      assertThat(client.awaitClose()).isEqualTo(1003);
    }
  }

  @Test
  void shouldRefuseMalformedBinaryFrames() {
    try (RawWebSocket client = node.binary()) {
      client.binary(new byte[] {2, 0, 0});
      assertThat(client.await("error").get("code").asText()).isEqualTo("bad-frame");
      client.binary(new byte[] {99});
      assertThat(client.await("error").get("code").asText()).isEqualTo("unknown-type");
    }
  }

  @Test
  void shouldCloseOnFramesAndMessagesOverTheLimit() {
    try (RawWebSocket client = node.json()) {
      client.text("x".repeat(2001));
      assertThat(client.awaitClose()).isEqualTo(1009);
    }
    try (RawWebSocket client = node.json()) {
      byte[] part = "x".repeat(900).getBytes(StandardCharsets.UTF_8);
      client.send(
          ClientFrame.text(part).notLast(),
          ClientFrame.continuation(part).notLast(),
          ClientFrame.continuation(part));
      assertThat(client.awaitClose()).isEqualTo(1009);
    }
  }

  @Test
  void shouldCloseOnInvalidUtf8AndUnmaskedFrames() {
    try (RawWebSocket client = node.json()) {
      client.send(ClientFrame.text(new byte[] {(byte) 0xff}));
      assertThat(client.awaitClose()).isEqualTo(1007);
    }
    try (RawWebSocket client = node.json()) {
      client.send(ClientFrame.text(new byte[] {'{', '}'}).unmasked());
      assertThat(client.awaitClose()).isEqualTo(1002);
    }
  }

  @Test
  void shouldReleaseAClientThatDisconnectsWithinAFrame() {
    double before = node.metric("sluice_connections");
    try (RawWebSocket client = node.json()) {
      client.send(new byte[] {(byte) 0x81, (byte) 0xfe, 1});
    }
    await()
        .untilAsserted(
            () -> assertThat(node.metric("sluice_connections")).isLessThanOrEqualTo(before));
  }

  @Tag("full")
  @Test
  void shouldRefuseMoreConnectionsThanAllowed() {
    try (TestNode small =
            TestNode.start(TestNode.unlimited(CONFIG).with(LimitSettings.CONNECTIONS, 1));
        RawWebSocket first = small.json();
        RawWebSocket second = small.request().attempt()) {
      assertThat(second.status()).isEqualTo(503);
      assertThat(second.header("Retry-After")).isEqualTo("5");
      first.sendClose(1000, "");
      assertThat(first.awaitClose()).isEqualTo(1000);
      await().untilAsserted(() -> assertThat(small.gateway().connections()).isZero());
      small.json().close();
    }
  }

  @Test
  void shouldRefuseHandshakesThatItDoesNotServe() {
    assertThat(status(node.request().subprotocols("amqp"))).isEqualTo(400);
    assertThat(status(node.request().set("Sec-WebSocket-Version", "8"))).isEqualTo(426);
    assertThat(status(node.request().requestLine("GET /nowhere HTTP/1.1"))).isEqualTo(404);
    assertThat(status(node.request().requestLine("GET /echo HTTP/1.1")))
        .as("the echo is off by default")
        .isEqualTo(404);
    try (TestNode strict =
        TestNode.start(
            CONFIG, ServerSettings.ALLOWED_ORIGINS, List.of("https://app.example.com"))) {
      assertThat(status(strict.request().set("Origin", "https://evil.example.com"))).isEqualTo(403);
      assertThat(status(strict.request().set("Origin", "https://app.example.com"))).isEqualTo(101);
    }
  }

  @Test
  void shouldRefuseAPathOfManySegments() {
    for (int segments : new int[] {129, 1_300, 2_000}) {
      String line = "GET " + "/a".repeat(segments) + " HTTP/1.1";
      assertThat(status(node.request().requestLine(line))).as(line).isEqualTo(404);
    }
  }

  private static int status(RawWebSocket.Request request) {
    try (RawWebSocket attempt = request.attempt()) {
      return attempt.status();
    }
  }

  @Test
  void shouldCloseConnectionsThatDoNotCompleteTheirHandshake() throws IOException {
    Config hasty =
        CONFIG
            .with(TimeoutSettings.HANDSHAKE, Duration.ofMillis(500))
            .with(LimitSettings.HANDSHAKES, 2)
            .with(ServerSettings.EVENT_LOOPS, 1);
    try (TestNode hastyNode = TestNode.start(hasty);
        Socket slow = new Socket("127.0.0.1", hastyNode.gateway().port())) {
      // A byte now and then would keep an idle time-out from ever ending.
      await()
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                try {
                  slow.getOutputStream().write('G');
                  return hastyNode.metric("sluice_handshakes_refused_total{cause=\"timeout\"}") > 0;
                } catch (IOException e) {
                  return true; // cut already
                }
              });
      slow.setSoTimeout(10_000);
      assertThat(endOf(slow)).isTrue();
      try (Socket first = new Socket("127.0.0.1", hastyNode.gateway().port());
          Socket second = new Socket("127.0.0.1", hastyNode.gateway().port());
          Socket third = new Socket("127.0.0.1", hastyNode.gateway().port())) {
        first.setSoTimeout(10_000);
        assertThat(endOf(first)).as("the oldest").isTrue();
        assertThat(second.isConnected() && third.isConnected()).isTrue();
      }
    }
  }

  private static boolean endOf(Socket socket) {
    try {
      socket.getInputStream().readAllBytes(); // a response may precede it
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true; // reset
    }
  }

  @Test
  void shouldCloseIdleClients() {
    Config hasty =
        CONFIG
            .with(TimeoutSettings.HANDSHAKE, Duration.ofMillis(300))
            .with(TimeoutSettings.PING, Duration.ofMillis(200))
            .with(TimeoutSettings.IDLE, Duration.ofMillis(900));
    try (TestNode hastyNode = TestNode.start(hasty);
        RawWebSocket unopened = hastyNode.json();
        RawWebSocket mute = hastyNode.json()) {
      mute.text("{\"type\":\"connect\"}");
      assertThat(unopened.awaitClose()).isEqualTo(4005);
      // The test's client answers no ping while it waits for the close frame.
      assertThat(mute.awaitClose()).isEqualTo(4001);
    }
  }

  private static String subscribe(String topic) {
    return "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + topic + "\"}";
  }
}
