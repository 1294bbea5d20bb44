package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestCertificate;
import io.sluice.testkit.TestPublisher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP streams from a broker to a socket: docs/PROTOCOL.md, section 10. */
@Timeout(180)
final class StreamIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  private static TestBroker broker;
  private static TestCertificate certificate;

  @BeforeAll
  static void start() {
    broker = TestBroker.start("artemis");
    certificate = TestCertificate.create(folder, "node", "EC");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static Config config() {
    return TestNode.config("artemis", broker.url());
  }

  private static Config tls(String engine) {
    return config()
        .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
        .with(ServerSettings.TLS_KEY, certificate.key().toString())
        .with(ServerSettings.TLS_ENGINE, engine);
  }

  private static TestPublisher publisher() throws Exception {
    return new TestPublisher("artemis", broker.url());
  }

  private static String subscribe(int ref, String topic) {
    return "{\"type\":\"subscribe\",\"ref\":%d,\"topic\":\"%s\"}".formatted(ref, topic);
  }

  private static String publish(int ref, String topic, String payload) {
    return "{\"type\":\"publish\",\"ref\":%d,\"topic\":\"%s\",\"payload\":\"%s\"}"
        .formatted(ref, topic, payload);
  }

  private static String ping(int ref) {
    return "{\"type\":\"ping\",\"ref\":" + ref + "}";
  }

  private static String payload(RawWebSocket client) {
    return client.await("message").get("payload").asText();
  }

  /** Reads the end of a stream: a close frame, and no further byte. */
  private static void awaitEnd(RawWebSocket stream, int code) {
    assertThat(stream.awaitClose()).isEqualTo(code);
    assertThat(stream.readFrame()).as("what follows the close frame").isNull();
  }

  private static void awaitNobody(TestNode node) {
    await().atMost(TIMEOUT).until(() -> node.gateway().connections() == 0);
    await().atMost(TIMEOUT).until(() -> node.metric("sluice_streams") == 0);
    await().atMost(TIMEOUT).until(() -> node.metric("sluice_subscriptions") == 0);
  }

  private static void awaitBroker(TestNode node) {
    await().atMost(TIMEOUT).until(() -> node.admin("/health/ready").statusCode() == 200);
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldSendMessagesImmediatelyOnEveryTransport(TransportKind transport) throws Exception {
    try (TestNode node = TestNode.start(transport.configure(config()))) {
      transport.assumeSupported(node);
      checkMessages(
          node, node.stream(subscribe(1, "live")), node.binaryStream(subscribe(1, "live")));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldSendMessagesImmediatelyByTls(String engine) throws Exception {
    try (TestNode node = TestNode.start(tls(engine))) {
      checkMessages(
          node,
          node.stream(subscribe(1, "live")).tls(certificate.trust()),
          node.binaryStream(subscribe(1, "live")).tls(certificate.trust()));
    }
  }

  private static void checkMessages(
      TestNode node, RawWebSocket.Request toJson, RawWebSocket.Request toBinary) throws Exception {
    try (RawWebSocket json = toJson.open();
        RawWebSocket binary = toBinary.open();
        TestPublisher publisher = publisher()) {
      assertThat(json.header("Content-Length")).isNull();
      assertThat(json.header("Transfer-Encoding")).isNull();
      assertThat(json.header("Connection")).isEqualTo("close");
      json.await("subscribed");
      binary.await("subscribed");
      for (int i = 1; i <= 20; i++) { // each is read before the next one is there
        publisher.text("live", "message " + i);
        assertThat(payload(json)).isEqualTo("message " + i);
        assertThat(BinaryMessage.read(binary.readBinary()).text()).isEqualTo("message " + i);
      }
      assertThat(node.metric("sluice_streams")).isEqualTo(2);
      assertThat(node.gateway().connections()).isEqualTo(2);
    }
    awaitNobody(node);
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldSendTheSameBytesAsAWebSocket(TransportKind transport) throws Exception {
    try (TestNode node = TestNode.start(transport.configure(config()));
        RawWebSocket json = node.json();
        RawWebSocket binary = node.binary();
        TestPublisher publisher = publisher()) {
      transport.assumeSupported(node);
      json.subscribe(1, "bytes");
      binary.subscribe(1, "bytes");
      try (RawWebSocket jsonStream = node.stream(subscribe(1, "bytes")).open();
          RawWebSocket binaryStream = node.binaryStream(subscribe(1, "bytes")).open()) {
        jsonStream.await("subscribed");
        binaryStream.await("subscribed");
        for (int size : List.of(0, 1, 90, 200, 65_000, 70_000, 300_000)) {
          publisher.text("bytes", "x".repeat(size));
        }
        for (int i = 0; i < 7; i++) {
          assertSame(message(jsonStream), message(json));
          assertSame(message(binaryStream), message(binary));
        }
      }
    }
  }

  private static ServerFrame message(RawWebSocket client) {
    ServerFrame frame = client.readFrame();
    while (!isMessage(frame)) {
      frame = client.readFrame();
    }
    return frame;
  }

  private static boolean isMessage(ServerFrame frame) {
    return frame.opcode() == ClientFrame.BINARY
        || frame.opcode() == ClientFrame.TEXT && frame.text().startsWith("{\"type\":\"message\"");
  }

  // The contents of both determine the bytes: the reader rejects any other encoding of a frame.
  private static void assertSame(ServerFrame one, ServerFrame other) {
    assertThat(one.fin()).isEqualTo(other.fin());
    assertThat(one.rsv()).isEqualTo(other.rsv());
    assertThat(one.opcode()).isEqualTo(other.opcode());
    assertThat(one.payload()).isEqualTo(other.payload());
  }

  private static String from(JsonNode subscribed, JsonNode message) {
    ObjectNode position = JSON.createObjectNode();
    position.put("epoch", subscribed.get("epoch").asText());
    position.set("offset", message.get("offset"));
    position.putArray("ids").add(message.get("id"));
    ObjectNode frame = JSON.createObjectNode();
    frame.put("type", "subscribe").put("ref", 1).put("topic", "moves").set("from", position);
    return frame.toString();
  }

  @Test
  void shouldResumeFromAStreamToAWebSocketAndBack() throws Exception {
    try (TestNode node = TestNode.start(config(), BrokerSettings.LINGER, Duration.ofMinutes(1));
        TestPublisher publisher = publisher()) {
      JsonNode subscribed;
      JsonNode last;
      try (RawWebSocket stream = node.stream(subscribe(1, "moves")).open()) {
        subscribed = stream.await("subscribed");
        publisher.text("moves", "1");
        last = stream.await("message");
      }
      publisher.text("moves", "2");
      try (RawWebSocket socket = node.json()) {
        socket.text(from(subscribed, last));
        assertThat(socket.await("subscribed").get("recovered").asBoolean()).isTrue();
        publisher.text("moves", "3");
        assertThat(payload(socket)).isEqualTo("2");
        last = socket.await("message");
        assertThat(last.get("payload").asText()).isEqualTo("3");
      }
      publisher.text("moves", "4");
      try (RawWebSocket stream = node.stream(from(subscribed, last)).open()) {
        assertThat(stream.await("subscribed").get("recovered").asBoolean()).isTrue();
        publisher.text("moves", "5");
        assertThat(payload(stream)).isEqualTo("4");
        assertThat(payload(stream)).isEqualTo("5");
      }
      awaitNobody(node);
    }
  }

  @Test
  void shouldEndARequestOfPublishesWhenAllAreAnswered() throws Exception {
    try (TestNode node = TestNode.start(config(), TopicSettings.PUBLISH_TOPICS, List.of("say.>"));
        RawWebSocket listener = node.json()) {
      awaitBroker(node);
      listener.subscribe(1, "say.it");
      try (RawWebSocket stream =
          node.stream(
                  "{\"type\":\"connect\",\"client\":\"test\"}",
                  publish(1, "say.it", "one"),
                  publish(2, "secret", "no"),
                  publish(3, "say.it", "two"),
                  publish(4, "say..it", "no"),
                  publish(5, "say.it", "three"))
              .open()) {
        assertThat(stream.readJson().get("type").asText()).isEqualTo("hello");
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          JsonNode answer = answer(stream);
          answers.add(answer.get("ref").asInt() + " " + answer.get("type").asText());
        }
        assertThat(answers)
            .containsExactlyInAnyOrder(
                "1 published", "2 error", "3 published", "4 error", "5 published");
        awaitEnd(stream, 1000);
      }
      assertThat(List.of(payload(listener), payload(listener), payload(listener)))
          .containsExactly("one", "two", "three");
      await().until(() -> node.gateway().connections() == 1);
    }
  }

  /** Returns the next frame, except broker status messages, which are sent at any time. */
  private static JsonNode answer(RawWebSocket stream) {
    JsonNode frame = stream.readJson();
    while (List.of("stale", "live", "caught-up").contains(frame.get("type").asText())) {
      frame = stream.readJson();
    }
    return frame;
  }

  @Test
  void shouldEndWhenAPublishIsRejectedWithoutABroker() {
    try (TestNode node = TestNode.start(TestNode.config("artemis", "tcp://127.0.0.1:1"));
        RawWebSocket stream = node.stream(ping(7), publish(1, "t", "x")).open()) {
      assertThat(stream.await("pong").get("ref").asInt()).isEqualTo(7);
      assertThat(stream.await("error").get("code").asText()).isEqualTo("broker-unavailable");
      awaitEnd(stream, 1000);
    }
  }

  @Test
  void shouldEndWhenItsLastSubscriptionIsRefused() {
    try (TestNode node = TestNode.start(TestNode.unlimited(config()), LimitSettings.TOPICS, 1);
        RawWebSocket holder = node.json()) {
      holder.subscribe(1, "the.one");
      try (RawWebSocket both =
          node.stream(subscribe(1, "the.one"), subscribe(2, "another")).open()) {
        assertThat(both.await("error").get("ref").asInt()).isEqualTo(2);
        // Not before: a topic whose reply is pending counts as well.
        try (RawWebSocket refused = node.stream(subscribe(1, "another")).open()) {
          assertThat(refused.await("error").get("code").asText()).isEqualTo("too-many-topics");
          awaitEnd(refused, 1000);
        }
        await().until(() -> node.gateway().connections() == 2);
        assertThat(node.metric("sluice_streams")).as("one lives").isEqualTo(1);
      }
    }
  }

  @Test
  void shouldRemainOpenForASubscriptionAfterAPublish() throws Exception {
    try (TestNode node = TestNode.start(config());
        TestPublisher publisher = publisher()) {
      awaitBroker(node);
      try (RawWebSocket stream =
          node.stream(publish(1, "other", "x"), subscribe(2, "mixed")).open()) {
        List<String> answers =
            List.of(
                answer(stream).get("type").asText(),
                answer(stream).get("type").asText(),
                answer(stream).get("type").asText());
        assertThat(answers).containsExactlyInAnyOrder("hello", "published", "subscribed");
        publisher.text("mixed", "after it");
        assertThat(payload(stream)).isEqualTo("after it");
      }
      awaitNobody(node);
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldEndAfterItsLifetimeAndResumeByTheNextOne(TransportKind transport) throws Exception {
    Config config =
        transport
            .configure(config())
            .with(ServerSettings.STREAM_LIFETIME, Duration.ofSeconds(1))
            .with(BrokerSettings.LINGER, Duration.ofMinutes(1));
    try (TestNode node = TestNode.start(config);
        TestPublisher publisher = publisher()) {
      JsonNode subscribed;
      JsonNode last;
      try (RawWebSocket stream = node.stream(subscribe(1, "moves")).open()) {
        subscribed = stream.await("subscribed");
        publisher.text("moves", "1");
        last = stream.await("message");
        awaitEnd(stream, 4101);
      }
      publisher.text("moves", "2");
      try (RawWebSocket next = node.stream(from(subscribed, last)).open()) {
        assertThat(next.await("subscribed").get("recovered").asBoolean()).isTrue();
        assertThat(payload(next)).isEqualTo("2");
      }
      awaitNobody(node);
      assertThat(node.metric("sluice_connections_closed_total{code=\"4101\"}")).isEqualTo(1);
    }
  }

  @Test
  void shouldEndAfterItsLifetimeByTls() {
    Config config = tls("openssl").with(ServerSettings.STREAM_LIFETIME, Duration.ofSeconds(1));
    try (TestNode node = TestNode.start(config);
        RawWebSocket stream = node.stream(subscribe(1, "moves")).tls(certificate.trust()).open()) {
      awaitEnd(stream, 4101);
    }
  }

  @Test
  void shouldPingWithoutAnIdleTimeout() {
    Config config =
        config()
            .with(TimeoutSettings.PING, Duration.ofMillis(100))
            .with(TimeoutSettings.IDLE, Duration.ofMillis(200));
    try (TestNode node = TestNode.start(config);
        RawWebSocket stream = node.stream(subscribe(1, "quiet")).open()) {
      for (int pings = 0; pings < 10; ) {
        int opcode = stream.readFrame().opcode();
        assertThat(opcode).isNotEqualTo(ClientFrame.CLOSE);
        pings += opcode == ClientFrame.PING ? 1 : 0;
      }
    }
  }

  @Test
  void shouldSendTheCaughtUpTime() {
    Config config =
        config()
            .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
            .with(TimeoutSettings.PING, Duration.ofMillis(100))
            .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(100));
    try (TestNode node = TestNode.start(config);
        RawWebSocket stream = node.stream(subscribe(1, "quiet")).open()) {
      stream.await("caught-up");
      stream.await("caught-up");
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldCloseASlowStreamAndServeTheOtherCompletely(TransportKind transport) throws Exception {
    Config config =
        transport
            .configure(config())
            .with(LimitSettings.PENDING_BYTES, 256L * 1024)
            .with(TimeoutSettings.CLOSE, Duration.ofSeconds(60));
    try (TestNode node = TestNode.start(config);
        RawWebSocket quick = node.stream(subscribe(1, "slow")).open();
        TestPublisher publisher = publisher()) {
      quick.await("subscribed");
      try (RawWebSocket slow = node.stream(subscribe(1, "slow")).receiveBuffer(8 * 1024).open()) {
        slow.await("subscribed");
        String filler = "x".repeat(16 * 1024);
        while (node.metric("sluice_drops_total{cause=\"slow-consumer\"}") == 0) {
          for (int i = 0; i < 8; i++) { // in step, so that the quick one never lags
            publisher.text("slow", filler);
            assertThat(payload(quick)).isEqualTo(filler);
          }
        }
        awaitEnd(slow, 4000);
      }
      publisher.text("slow", "the last");
      assertThat(payload(quick)).isEqualTo("the last");
      await().atMost(TIMEOUT).until(() -> node.gateway().connections() == 1);
    }
  }

  @Test
  void shouldCloseASlowStreamThatDoesNotReadTheCloseFrame() throws Exception {
    Config config =
        config()
            .with(LimitSettings.PENDING_BYTES, 64L * 1024)
            .with(TimeoutSettings.CLOSE, Duration.ofMillis(200));
    try (TestNode node = TestNode.start(config);
        RawWebSocket slow = node.stream(subscribe(1, "deaf")).receiveBuffer(8 * 1024).open();
        TestPublisher publisher = publisher()) {
      slow.await("subscribed");
      while (node.gateway().connections() > 0) {
        publisher.text("deaf", "x".repeat(64 * 1024));
      }
      awaitNobody(node);
      assertThat(node.metric("sluice_connections_closed_total{code=\"4000\"}")).isEqualTo(1);
    }
  }

  @Tag("full")
  @Test
  void shouldLeaveADrainingNode() throws Exception {
    try (TestNode node = TestNode.start(config(), TimeoutSettings.DRAIN, Duration.ofSeconds(2))) {
      CompletableFuture<Void> stopped;
      try (RawWebSocket stream = node.stream(subscribe(1, "drain")).open()) {
        stream.await("subscribed");
        stopped = CompletableFuture.runAsync(() -> node.gateway().drainAndStop());
        stream.await("draining");
        try (RawWebSocket late = node.stream(subscribe(1, "drain")).attempt()) {
          assertThat(late.status()).isEqualTo(503);
          assertThat(late.header("Retry-After")).isNotNull();
        }
        awaitEnd(stream, 4100);
      }
      stopped.get(60, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRemoveADisconnectedClient(boolean reset) {
    try (TestNode node = TestNode.start(config())) {
      RawWebSocket stream = node.stream(subscribe(1, "gone")).open();
      stream.await("subscribed");
      assertThat(node.metric("sluice_subscriptions")).isEqualTo(1);
      if (reset) {
        stream.reset();
      } else {
        stream.close();
      }
      awaitNobody(node);
      assertThat(node.metric("sluice_connections_closed_total{code=\"1006\"}")).isEqualTo(1);
    }
  }

  @Test
  void shouldCloseAStreamWithTooManyErrors() {
    String[] wrong = new String[200];
    Arrays.fill(wrong, "nonsense");
    try (TestNode node = TestNode.start(config());
        RawWebSocket stream = node.stream(wrong).open()) {
      assertThat(stream.await("error").get("code").asText()).isEqualTo("bad-json");
      awaitEnd(stream, 4203);
    }
  }

  @Test
  void shouldCloseOnATooLongFrameAfterEarlierReplies() {
    String tooLong = ping(2) + " ".repeat(64 * 1024);
    try (TestNode node = TestNode.start(config());
        RawWebSocket stream = node.stream(ping(1), tooLong, ping(3)).open()) {
      assertThat(stream.await("pong").get("ref").asInt()).isEqualTo(1);
      awaitEnd(stream, 1009);
    }
  }

  @Test
  void shouldAnswerAllFramesOfALongRequestInTheirOrder() {
    List<String> pings = new ArrayList<>();
    for (int i = 1; i <= 20_000; i++) {
      pings.add(ping(i));
    }
    Config config =
        config()
            .with(LimitSettings.PENDING_BYTES, 16L * 1024 * 1024)
            .with(LimitSettings.FRAME_RATE, 0);
    try (TestNode node = TestNode.start(config);
        RawWebSocket stream = node.stream(pings.toArray(String[]::new)).open()) {
      for (int i = 1; i <= 20_000; i++) {
        assertThat(stream.await("pong").get("ref").asInt()).isEqualTo(i);
      }
      awaitEnd(stream, 1000);
    }
  }
}
