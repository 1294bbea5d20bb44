package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import java.util.Collections;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rate limits of clients' frames. */
@Timeout(180)
final class FrameRateIT {
  private static final int TOO_FAST = 4205;

  // Nothing listens there.
  private static final Config CONFIG = TestNode.config("artemis", "tcp://127.0.0.1:1");

  private static double reached(TestNode node, Setting<?> limit) {
    return node.metric("sluice_limits_reached_total{limit=\"" + limit.key() + "\"}");
  }

  private static ClientFrame[] frames(int count, ClientFrame frame) {
    return Collections.nCopies(count, frame).toArray(ClientFrame[]::new);
  }

  private static ClientFrame frame(String kind) {
    return switch (kind) {
      case "ping" -> ClientFrame.ping("");
      case "pong" -> ClientFrame.of(ClientFrame.PONG, new byte[0]);
      default -> ClientFrame.text("{\"type\":\"ping\"}");
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"ping", "pong", "text"})
  void shouldCloseAClientThatSendsTooManyFrames(String kind) {
    try (TestNode node = TestNode.start(CONFIG, LimitSettings.FRAME_RATE, 10);
        RawWebSocket client = node.json()) {
      client.send(frames(90, frame(kind)));
      client.text("{\"type\":\"ping\",\"ref\":7}");
      client.await("pong");
      assertThat(reached(node, LimitSettings.FRAME_RATE)).isZero();
      client.send(frames(300, frame(kind)));
      assertThat(client.awaitClose()).isEqualTo(TOO_FAST);
      assertThat(reached(node, LimitSettings.FRAME_RATE)).isEqualTo(1);
    }
  }

  @Test
  void shouldCloseAClientThatSendsEndlessEmptyFragments() {
    try (TestNode node = TestNode.start(CONFIG, LimitSettings.FRAME_RATE, 10);
        RawWebSocket client = node.json()) {
      byte[] first = {1, (byte) 0x80, 0, 0, 0, 0};
      byte[] empty = {0, (byte) 0x80, 0, 0, 0, 0};
      client.send(first);
      for (int i = 0; i < 10_000; i++) {
        client.send(empty);
      }
      assertThat(client.awaitClose()).isEqualTo(TOO_FAST);
    }
  }

  /** As cases 9.3.1 and 12.1.11 of the Autobahn suite have them, with the rate of the default. */
  @ParameterizedTest
  @CsvSource({"4194304, 64, 1", "8192, 256, 1000"})
  void shouldAcceptMessagesOfManyFragments(int bytes, int fragment, int messages) {
    long most = 8L * 1024 * 1024;
    Config echo =
        CONFIG
            .with(ServerSettings.ECHO, true)
            .with(LimitSettings.MESSAGE_BYTES, most)
            .with(LimitSettings.PENDING_BYTES, 4 * most);
    byte[] part = new byte[fragment];
    ClientFrame[] frames = frames(bytes / fragment, ClientFrame.continuation(part).notLast());
    frames[0] = ClientFrame.binary(part).notLast();
    frames[frames.length - 1] = ClientFrame.continuation(part);
    try (TestNode node = TestNode.start(echo);
        RawWebSocket client = RawWebSocket.to("127.0.0.1", node.gateway().port(), "/echo").open()) {
      for (int i = 0; i < messages; i++) {
        client.send(frames);
        assertThat(client.readFrame().payload()).hasSize(bytes);
      }
      assertThat(reached(node, LimitSettings.FRAME_RATE)).isZero();
    }
  }

  /** The lines of a stream's request are all there at once; some leak away while they are read. */
  @Test
  void shouldCloseAStreamWhoseRequestHasTooManyLines() {
    try (TestNode node = TestNode.start(CONFIG, LimitSettings.FRAME_RATE, 10)) {
      try (RawWebSocket within = node.stream(pings(100)).open()) {
        assertThat(pongsToTheEnd(within, 1000)).isEqualTo(100);
      }
      assertThat(reached(node, LimitSettings.FRAME_RATE)).isZero();
      try (RawWebSocket past = node.stream(pings(3_000)).open()) {
        assertThat(pongsToTheEnd(past, TOO_FAST)).isBetween(100, 2_999);
      }
      assertThat(reached(node, LimitSettings.FRAME_RATE)).isEqualTo(1);
    }
  }

  private static String[] pings(int count) {
    return Collections.nCopies(count, "{\"type\":\"ping\"}").toArray(String[]::new);
  }

  private static int pongsToTheEnd(RawWebSocket stream, int code) {
    int pongs = 0;
    for (ServerFrame frame = stream.readFrame(); ; frame = stream.readFrame()) {
      if (frame.opcode() == ClientFrame.CLOSE) {
        assertThat(frame.closeCode()).isEqualTo(code);
        return pongs;
      }
      pongs += frame.text().contains("\"pong\"") ? 1 : 0;
    }
  }

  @Tag("full")
  @Test
  void shouldBoundThePublishesOfAllClientsToOneTopic() {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url()), LimitSettings.TOPIC_PUBLISH_RATE, 1);
        RawWebSocket first = node.json();
        RawWebSocket second = node.json()) {
      first.subscribe(1, "busy"); // so the broker is there
      first.publish(2, "busy", "one");
      second.text("{\"type\":\"publish\",\"ref\":3,\"topic\":\"busy\",\"payload\":\"two\"}");
      assertThat(second.await("error").path("code").asText()).isEqualTo("rate-limited");
      second.publish(4, "quiet", "three");
      assertThat(reached(node, LimitSettings.TOPIC_PUBLISH_RATE)).isEqualTo(1);
      await().ignoreExceptions().untilAsserted(() -> publishAgain(node));
    }
  }

  private static void publishAgain(TestNode node) {
    try (RawWebSocket later = node.json()) {
      later.text("{\"type\":\"publish\",\"ref\":1,\"topic\":\"busy\",\"payload\":\"four\"}");
      assertThat(later.readMessage().text()).contains("hello");
      assertThat(later.readMessage().text()).contains("published");
    }
  }
}
