package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestCertificate;
import io.sluice.testkit.TestPublisher;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One client that stops reading, and one that reads. */
final class SlowConsumerIT {
  private static final int MESSAGES = 400;
  private static final int BYTES = 4_096;

  @Tag("full")
  @Test
  void shouldCloseTheSlowClientAndServeTheOther() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(ServerSettings.SEND_BUFFER, 64L * 1024)
                    .with(LimitSettings.PENDING_BYTES, 256L * 1024)
                    .with(TimeoutSettings.CLOSE, Duration.ofSeconds(30)));
        RawWebSocket slow =
            node.request().subprotocols(Encoding.JSON_SUBPROTOCOL).receiveBuffer(16 * 1024).open();
        RawWebSocket quick = node.json();
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      slow.subscribe(1, "slow.1");
      quick.subscribe(1, "slow.1");
      String filler = "x".repeat(BYTES);
      for (int i = 1; i <= MESSAGES; i++) {
        publisher.text("slow.1", "SEQ=" + i + " " + filler);
        // The quick client reads along, so that it never lags by more than this one message.
        assertThat(quick.await("message").get("payload").asText()).startsWith("SEQ=" + i + " ");
      }
      assertThat(node.metric("sluice_drops_total{cause=\"slow-consumer\"}")).isEqualTo(1);
      assertThat(node.metric("sluice_subscriptions")).isEqualTo(1);
      assertThat(slow.awaitClose()).isEqualTo(4000);
      slow.sendClose(4000, "");
      await().until(() -> node.gateway().connections() == 1);
    }
  }

  private static Config impatient(TestBroker broker) {
    return TestNode.config("artemis", broker.url())
        .with(ServerSettings.SEND_BUFFER, 64L * 1024)
        .with(LimitSettings.PENDING_BYTES, 64L * 1024 * 1024)
        .with(TimeoutSettings.PING, Duration.ofMillis(500))
        .with(TimeoutSettings.IDLE, Duration.ofSeconds(2));
  }

  private static void publish(TestBroker broker, String topic) throws Exception {
    publish(broker, topic, MESSAGES);
  }

  private static void publish(TestBroker broker, String topic, int messages) throws Exception {
    String filler = "x".repeat(BYTES);
    try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      for (int i = 1; i <= messages; i++) {
        publisher.text(topic, "SEQ=" + i + " " + filler);
      }
    }
  }

  // Its pongs come late, because the pings are behind seconds of data.
  @Tag("full")
  @Test
  void shouldNotCloseAClientThatReadsSlowly() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(impatient(broker));
        SlowLink link = new SlowLink("tcp://127.0.0.1:" + node.gateway().port())) {
      link.bytesPerSecond(200_000);
      URI proxy = URI.create(link.url());
      try (RawWebSocket slow =
          RawWebSocket.to(proxy.getHost(), proxy.getPort(), "/ws")
              .subprotocols(Encoding.JSON_SUBPROTOCOL)
              .timeout(Duration.ofMinutes(1))
              .open()) {
        slow.subscribe(1, "slow.9");
        publish(broker, "slow.9");
        for (int i = 1; i <= MESSAGES; i++) {
          assertThat(slow.await("message").get("payload").asText()).startsWith("SEQ=" + i + " ");
        }
      }
    }
  }

  // Most of the time its window is closed: all bytes are in the node's kernel, none in transit.
  @Tag("full")
  @Test
  void shouldNotCloseAClientThatReadsSlowlyFromASmallBuffer() throws Exception {
    int messages = 20;
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TimeoutSettings.PING, Duration.ofSeconds(1))
                    .with(TimeoutSettings.IDLE, Duration.ofSeconds(6)));
        RawWebSocket slow =
            node.request().subprotocols(Encoding.JSON_SUBPROTOCOL).receiveBuffer(16 * 1024).open();
        RawWebSocket paced = node.json()) {
      slow.subscribe(1, "slow.6");
      paced.subscribe(1, "slow.6");
      publish(broker, "slow.6", messages);
      for (int i = 1; i <= messages; i++) {
        ServerFrame frame = paced.readFrame();
        while (frame.opcode() != ClientFrame.PING) {
          frame = paced.readFrame();
        }
        paced.ping(""); // shows that it lives
        assertThat(slow.await("message").get("payload").asText()).startsWith("SEQ=" + i + " ");
      }
    }
  }

  @Test
  void shouldCloseAClientThatStopsReadingAsSlow() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(impatient(broker));
        RawWebSocket stuck =
            node.request().subprotocols(Encoding.JSON_SUBPROTOCOL).receiveBuffer(16 * 1024).open();
        RawWebSocket silent = node.json()) {
      stuck.subscribe(1, "slow.8");
      silent.subscribe(1, "slow.7");
      publish(broker, "slow.8");
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () -> {
                assertThat(node.metric("sluice_connections_closed_total{code=\"4000\"}"))
                    .isEqualTo(1);
                assertThat(node.metric("sluice_connections_closed_total{code=\"4001\"}"))
                    .isEqualTo(1);
              });
    }
  }

  @Tag("full")
  @Test
  void shouldDisconnectASlowClientThatDoesNotReadTheCloseFrame() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(LimitSettings.PENDING_BYTES, 64L * 1024)
                    .with(TimeoutSettings.CLOSE, Duration.ofMillis(200)));
        RawWebSocket slow = node.json();
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      slow.subscribe(1, "slow.2");
      String filler = "x".repeat(64 * 1024);
      while (node.gateway().connections() > 0) {
        publisher.text("slow.2", filler);
      }
      await()
          .untilAsserted(
              () ->
                  assertThat(node.metric("sluice_connections_closed_total{code=\"4000\"}"))
                      .isEqualTo(1));
    }
  }

  /** A way by which a client is connected. */
  private enum Link {
    IO_URING("io-uring", ""),
    EPOLL("epoll", ""),
    NIO("nio", ""),
    OPENSSL("epoll", "openssl"),
    JDK_TLS("nio", "jdk");

    private final String transport;
    private final String tls;

    Link(String transport, String tls) {
      this.transport = transport;
      this.tls = tls;
    }

    Config configure(Config config, TestCertificate certificate) {
      Config plain = config.with(ServerSettings.TRANSPORT, transport);
      return tls.isEmpty()
          ? plain
          : plain
              .with(ServerSettings.TLS_ENGINE, tls)
              .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
              .with(ServerSettings.TLS_KEY, certificate.key().toString());
    }

    RawWebSocket.Request connect(RawWebSocket.Request request, TestCertificate certificate) {
      return tls.isEmpty() ? request : request.tls(certificate.trust());
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(Link.class)
  void shouldSendTheCodeToAWebSocketThatReadsAfterItsClose(Link link, @TempDir Path folder)
      throws Exception {
    readAfterTheCut(
        link,
        folder,
        request -> {
          RawWebSocket client = request.subprotocols(Encoding.JSON_SUBPROTOCOL).open();
          client.subscribe(1, "slow.3");
          return client;
        });
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(Link.class)
  void shouldSendTheCodeToAStreamThatReadsAfterItsClose(Link link, @TempDir Path folder)
      throws Exception {
    byte[] body =
        """
        {"type":"connect"}
        {"type":"subscribe","ref":1,"topic":"slow.3"}
        """
            .getBytes(StandardCharsets.UTF_8);
    readAfterTheCut(
        link,
        folder,
        request -> {
          RawWebSocket client = request.post("", body).open();
          client.await("subscribed");
          return client;
        });
  }

  private static void readAfterTheCut(
      Link link, Path folder, Function<RawWebSocket.Request, RawWebSocket> open) throws Exception {
    TestCertificate certificate = TestCertificate.create(folder, "node", "EC");
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                link.configure(TestNode.config("artemis", broker.url()), certificate)
                    .with(ServerSettings.SEND_BUFFER, 64L * 1024)
                    .with(LimitSettings.PENDING_BYTES, 256L * 1024)
                    .with(TimeoutSettings.CLOSE, Duration.ofMillis(300)));
        RawWebSocket slow =
            open.apply(link.connect(node.request(), certificate).receiveBuffer(16 * 1024));
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      String filler = "x".repeat(BYTES);
      while (node.gateway().connections() > 0) {
        publisher.text("slow.3", filler);
      }
      assertThat(node.metric("sluice_connections_closed_total{code=\"4000\"}")).isEqualTo(1);
      assertThat(slow.awaitClose()).isEqualTo(4000);
    }
  }
}
