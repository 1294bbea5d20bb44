package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of STOMP at and beyond the limits of a node. */
@Timeout(120)
final class StompLimitsIT {
  private static final int SUBSCRIPTIONS = 10_000;
  private static final int FRAMES_PER_SECOND = 2_000;

  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    Config config =
        TestNode.config(broker.provider(), broker.url())
            .with(LimitSettings.SUBSCRIPTIONS, SUBSCRIPTIONS)
            .with(LimitSettings.FRAME_RATE, FRAMES_PER_SECOND)
            .with(LimitSettings.PENDING_BYTES, 4L << 20)
            .with(LimitSettings.CONSUMER_CREDIT, 5)
            .with(TimeoutSettings.IDLE, Duration.ofSeconds(10))
            .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("open.>"))
            .with(TopicSettings.QUEUES_SEND, List.of("q.>"))
            .with(TopicSettings.QUEUES_CONSUME, List.of("q.>"));
    node = TestNode.start(config);
    publisher = new TestPublisher(broker.provider(), broker.url());
    node.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  /** Returns numbered frames as texts, each of several frames. */
  private static List<String> texts(int from, int to, String frame) {
    List<String> texts = new ArrayList<>();
    for (int at = from; at < to; at += 500) {
      texts.add(
          IntStream.range(at, Math.min(to, at + 500))
              .mapToObj(frame::formatted)
              .collect(Collectors.joining()));
    }
    return texts;
  }

  @Test
  void shouldDeliverToAllSubscriptionsOfAClient() throws Exception {
    String subscribe = "SUBSCRIBE\nid:%d\ndestination:open.many\n\n\0";
    try (StompSocket client = StompSocket.open(node)) {
      texts(1, SUBSCRIPTIONS, subscribe).forEach(client.socket()::text);
      client.request("SUBSCRIBE\nid:0\ndestination:open.many\n\n");
      publisher.text("open.many", "one");
      Set<String> received = new HashSet<>();
      while (received.size() < SUBSCRIPTIONS) {
        assertThat(received.add(client.await("MESSAGE").header("subscription"))).isTrue();
      }
      client.send(subscribe.formatted(SUBSCRIPTIONS).replace("\0", ""));
      assertThat(client.next().body()).contains(SUBSCRIPTIONS + " subscriptions");
      assertThat(client.socket().awaitClose()).isEqualTo(1002);
    }
  }

  @Test
  void shouldCloseAClientThatFloodsWithoutEffectOnOthers() throws Exception {
    String pair = "SUBSCRIBE\nid:a\ndestination:open.flood\n\n\0UNSUBSCRIBE\nid:a\n\n\0";
    try (StompSocket beside = StompSocket.open(node);
        StompSocket flood = StompSocket.open(node)) {
      beside.request("SUBSCRIBE\nid:1\ndestination:open.flood\n\n");
      Thread writer =
          new Thread(
              () -> {
                try {
                  texts(0, 4 * 10 * FRAMES_PER_SECOND / 2, pair).forEach(flood.socket()::text);
                } catch (AssertionError closed) {
                  // The node has closed the connection.
                }
              });
      writer.start();
      for (int i = 0; i < 100; i++) {
        publisher.text("open.flood", "m" + i);
        assertThat(beside.await("MESSAGE").body()).isEqualTo("m" + i);
      }
      assertThat(flood.next().header("message")).isEqualTo("rate-limited");
      assertThat(flood.socket().awaitClose()).isEqualTo(1002);
      writer.join();
    }
  }

  @Test
  void shouldCloseASlowReaderWithoutEffectOnOthers() throws Exception {
    List<StompSocket> others = new ArrayList<>();
    try (StompSocket slow =
        new StompSocket(
            RawWebSocket.to("127.0.0.1", node.gateway().port(), "/stomp")
                .receiveBuffer(4 * 1024)
                .open())) {
      slow.send("CONNECT\naccept-version:1.2\n\n");
      slow.await("CONNECTED");
      slow.request("SUBSCRIBE\nid:1\ndestination:open.slow\n\n");
      for (int i = 0; i < 9; i++) {
        StompSocket other = StompSocket.open(node);
        others.add(other);
        other.request("SUBSCRIBE\nid:1\ndestination:open.slow\n\n");
      }
      double closed = closedAsSlow();
      String text = "x".repeat(250_000);
      for (int i = 0; i % 20 > 0 || closedAsSlow() == closed; i++) {
        publisher.text("open.slow", text + i);
        for (StompSocket other : others) {
          assertThat(other.await("MESSAGE").body()).endsWith("x" + i);
          other.socket().text("\n"); // shows that it lives
        }
      }
    } finally {
      others.forEach(StompSocket::close);
    }
  }

  private static double closedAsSlow() {
    return node.metric("sluice_connections_closed_total{code=\"4000\"}");
  }

  @Test
  void shouldSendNoMoreThanThePrefetchWithoutAcknowledgements() {
    try (StompSocket client = StompSocket.open(node)) {
      for (int i = 1; i <= 20; i++) {
        client.request("SEND\ndestination:/queue/q.prefetch\n\n" + i);
      }
      String ack = "ack:client-individual\nprefetch-count:20\n\n"; // the node allows 5
      client.request("SUBSCRIBE\nid:1\ndestination:/queue/q.prefetch\n" + ack);
      List<StompSocket.Frame> unacknowledged = new ArrayList<>();
      for (int i = 1; i <= 20; i++) {
        while (unacknowledged.size() < Math.min(5, 21 - i)) {
          unacknowledged.add(client.await("MESSAGE"));
        }
        // The answer of another frame follows all messages that the node has sent.
        client.request("SEND\ndestination:/queue/q.other\n\n");
        assertThat(client.kept()).isEmpty();
        StompSocket.Frame first = unacknowledged.remove(0);
        assertThat(first.body()).isEqualTo(String.valueOf(i));
        client.request("ACK\nid:" + first.header("ack") + "\n\n");
        client
            .kept()
            .removeIf(each -> each.command().equals("MESSAGE") && unacknowledged.add(each));
      }
    }
  }
}
