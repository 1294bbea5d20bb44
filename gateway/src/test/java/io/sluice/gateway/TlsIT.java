package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestCertificate;
import io.sluice.testkit.TestPublisher;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of a real broker to clients that connect by TLS, with each engine. */
@Timeout(180)
final class TlsIT {
  @TempDir private static Path folder;

  private static TestCertificate certificate;
  private static TestBroker broker;

  @BeforeAll
  static void start() {
    certificate = TestCertificate.create(folder, "node", "EC");
    broker = TestBroker.start("artemis");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static Config config(String engine) {
    return TestNode.config("artemis", broker.url())
        .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
        .with(ServerSettings.TLS_KEY, certificate.key().toString())
        .with(ServerSettings.TLS_ENGINE, engine);
  }

  private static RawWebSocket.Request request(TestNode node) {
    return node.request().tls(certificate.trust()).timeout(Duration.ofSeconds(60));
  }

  private static void ping(RawWebSocket client) {
    client.text("{\"type\":\"ping\",\"ref\":1}");
    client.await("pong");
  }

  private static TestPublisher publisher() throws Exception {
    return new TestPublisher("artemis", broker.url());
  }

  @ParameterizedTest
  @CsvSource({"openssl, epoll", "openssl, nio", "openssl, io-uring", "jdk, epoll", "jdk, nio"})
  void shouldServeEveryEncodingOnEveryTransport(String engine, String transport) throws Exception {
    Config config = config(engine).with(ServerSettings.TRANSPORT, transport);
    try (TestNode node = TestNode.start(config);
        TestPublisher publisher = publisher();
        RawWebSocket json = request(node).open();
        RawWebSocket binary = request(node).subprotocols(Encoding.BINARY_SUBPROTOCOL).open();
        RawWebSocket deflated =
            request(node).subprotocols(Encoding.BINARY_SUBPROTOCOL).deflate().open()) {
      for (RawWebSocket client : List.of(json, binary, deflated)) {
        client.subscribe(1, "tls.each");
      }
      String payload = "TS=1 SEQ=1 " + "x".repeat(500);
      publisher.text("tls.each", payload);
      assertThat(json.await("message").get("payload").asText()).isEqualTo(payload);
      BinaryMessage plain = BinaryMessage.read(binary.readBinary());
      assertThat(plain.text()).isEqualTo(payload);
      assertThat(BinaryMessage.read(deflated.readBinary())).isEqualTo(plain);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldAnswerAFrameSentTogetherWithTheHandshake(String engine) {
    byte[] first = ClientFrame.text("{\"type\":\"ping\",\"ref\":7}").bytes();
    try (TestNode node = TestNode.start(config(engine));
        RawWebSocket client = request(node).firstBytes(first).open()) {
      assertThat(client.await("pong").get("ref").asInt()).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldServeTheClientOfTheJdk(String engine) throws Exception {
    try (TestNode node = TestNode.start(config(engine));
        TestPublisher publisher = publisher()) {
      Listener listener = new Listener();
      WebSocket client =
          HttpClient.newBuilder()
              .sslContext(certificate.trust())
              .build()
              .newWebSocketBuilder()
              .subprotocols(Encoding.JSON_SUBPROTOCOL)
              .buildAsync(URI.create("wss://localhost:" + node.gateway().port() + "/ws"), listener)
              .get(60, TimeUnit.SECONDS);
      client.sendText("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"tls.jdk\"}", true);
      await().until(() -> listener.text().contains("\"subscribed\""));
      publisher.text("tls.jdk", "here it is");
      await().until(() -> listener.text().contains("here it is"));
      client.sendClose(WebSocket.NORMAL_CLOSURE, "");
      assertThat(listener.closed.get(60, TimeUnit.SECONDS)).isEqualTo(1000);
      await().until(() -> node.gateway().connections() == 0);
    }
  }

  /** Collector of the messages of a JDK client. */
  private static final class Listener implements WebSocket.Listener {
    private final StringBuffer text = new StringBuffer();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();

    String text() {
      return text.toString();
    }

    @Override
    public CompletionStage<?> onText(WebSocket client, CharSequence data, boolean last) {
      text.append(data);
      client.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket client, int code, String reason) {
      closed.complete(code);
      return null;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldSendALargeMessageInOnePiece(String engine) throws Exception {
    Config config = config(engine).with(LimitSettings.PENDING_BYTES, 8L << 20);
    try (TestNode node = TestNode.start(config);
        TestPublisher publisher = publisher();
        RawWebSocket client = request(node).receiveBuffer(16_384).open()) {
      client.subscribe(1, "tls.large");
      String payload = letters(new Random(1), 1 << 20);
      publisher.text("tls.large", payload);
      publisher.text("tls.large", "next");
      assertThat(client.await("message").get("payload").asText().equals(payload)).isTrue();
      assertThat(client.await("message").get("payload").asText()).isEqualTo("next");
    }
  }

  /**
   * Checks that encryption does not modify shared bytes: a message's frames are shared by the
   * clients of all event loops.
   */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldKeepEachByteForClientsThatLag(String engine) throws Exception {
    int messages = 1_500;
    Config config =
        config(engine)
            .with(ServerSettings.EVENT_LOOPS, 2)
            .with(ServerSettings.SEND_BUFFER, 16L << 10)
            .with(LimitSettings.PENDING_BYTES, 64L << 20);
    List<RawWebSocket> clients = new ArrayList<>();
    try (TestNode node = TestNode.start(config);
        TestPublisher publisher = publisher()) {
      for (int i = 0; i < 4; i++) {
        RawWebSocket client =
            request(node)
                .subprotocols(Encoding.BINARY_SUBPROTOCOL)
                .receiveBuffer(i < 2 ? 65_536 : 0)
                .open();
        clients.add(client);
        client.subscribe(1, "tls.lag");
      }
      Random publishing = new Random(2);
      for (int i = 0; i < messages; i++) {
        publisher.text("tls.lag", i + letters(publishing, publishing.nextInt(2_000)));
      }
      for (RawWebSocket client : clients) {
        Random expecting = new Random(2);
        for (int i = 0; i < messages; i++) {
          String expected = i + letters(expecting, expecting.nextInt(2_000));
          String received = BinaryMessage.read(client.readBinary()).text();
          assertThat(received.equals(expected)).as("message %d is intact", i).isTrue();
        }
      }
    } finally {
      clients.forEach(RawWebSocket::close);
    }
  }

  private static String letters(Random random, int count) {
    StringBuilder text = new StringBuilder(count);
    for (int i = 0; i < count; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldCloseInOrderWhenTheClientBegins(String engine) {
    try (TestNode node = TestNode.start(config(engine));
        RawWebSocket client = request(node).open()) {
      ping(client);
      client.sendClose(1000, "bye");
      assertThat(client.awaitClose()).isEqualTo(1000);
      assertThat(client.readFrame()).as("TLS ends in order, too").isNull();
      await().until(() -> node.gateway().connections() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldCloseInOrderWhenTheNodeBegins(String engine) {
    Config patient = config(engine).with(TimeoutSettings.CLOSE, Duration.ofSeconds(60));
    try (TestNode node = TestNode.start(patient)) {
      try (RawWebSocket client = request(node).open()) {
        ping(client);
        client.send(ClientFrame.text("{}").unmasked());
        assertThat(client.awaitClose()).isEqualTo(1002);
        assertThat(node.gateway().connections()).as("it waits for the client").isEqualTo(1);
        client.sendClose(1002, "");
        assertThat(client.readFrame()).as("TLS ends in order, too").isNull();
      }
      await().until(() -> node.gateway().connections() == 0);
    }
  }

  /** A socket that is closed while data waits to be read would take the close frame with it. */
  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldSendTheCloseCodeToAClientThatStillSends(String engine) {
    Config patient = config(engine).with(TimeoutSettings.CLOSE, Duration.ofSeconds(60));
    try (TestNode node = TestNode.start(patient);
        RawWebSocket client = request(node).open()) {
      ping(client);
      client.send(ClientFrame.text("{}").unmasked());
      for (int i = 0; i < 100; i++) {
        client.binary(new byte[16_000]);
      }
      assertThat(client.awaitClose()).isEqualTo(1002);
      assertThat(client.readFrame()).as("the node's direction is over").isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldReleaseAClientThatEndsTlsWithoutACloseFrame(String engine) {
    try (TestNode node = TestNode.start(config(engine))) {
      RawWebSocket client = request(node).open();
      ping(client);
      client.close();
      await().until(() -> node.gateway().connections() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldPingAndCloseIdleClients(String engine) {
    Config hasty =
        config(engine)
            .with(TimeoutSettings.PING, Duration.ofMillis(200))
            .with(TimeoutSettings.IDLE, Duration.ofMillis(900));
    try (TestNode node = TestNode.start(hasty);
        RawWebSocket client = request(node).open()) {
      client.text("{\"type\":\"connect\"}");
      ServerFrame frame = client.readFrame();
      while (frame.opcode() == ClientFrame.TEXT) {
        frame = client.readFrame();
      }
      assertThat(frame.opcode()).isEqualTo(ClientFrame.PING);
      assertThat(client.awaitClose()).isEqualTo(4001);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldDisconnectASlowTlsClientThatDoesNotReadTheCloseFrame(String engine) throws Exception {
    Config strict =
        config(engine)
            .with(LimitSettings.PENDING_BYTES, 64L * 1024)
            .with(TimeoutSettings.CLOSE, Duration.ofMillis(200));
    try (TestNode node = TestNode.start(strict);
        TestPublisher publisher = publisher();
        RawWebSocket slow = request(node).open()) {
      slow.subscribe(1, "tls.slow");
      String filler = "x".repeat(64 * 1024);
      while (node.gateway().connections() > 0) {
        publisher.text("tls.slow", filler);
      }
      String closed = "sluice_connections_closed_total{code=\"4000\"}";
      await().untilAsserted(() -> assertThat(node.metric(closed)).isEqualTo(1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldDrainItsClientsWhenItStops(String engine) throws Exception {
    List<RawWebSocket> clients = new ArrayList<>();
    Config config = config(engine).with(TimeoutSettings.DRAIN, Duration.ofSeconds(2));
    try (TestNode node = TestNode.start(config)) {
      for (int i = 0; i < 50; i++) {
        RawWebSocket client = request(node).open();
        clients.add(client);
        client.subscribe(1, "tls.drain");
      }
      CompletableFuture<Void> stopped =
          CompletableFuture.runAsync(() -> node.gateway().drainAndStop());
      for (RawWebSocket client : clients) {
        JsonNode draining = client.await("draining");
        assertThat(draining.get("deadline").asLong()).isPositive();
        assertThat(client.awaitClose()).isEqualTo(4100);
        client.sendClose(4100, "");
        assertThat(client.readFrame()).as("TLS ends in order, too").isNull();
      }
      stopped.get(60, TimeUnit.SECONDS);
    } finally {
      clients.forEach(RawWebSocket::close);
    }
  }
}
