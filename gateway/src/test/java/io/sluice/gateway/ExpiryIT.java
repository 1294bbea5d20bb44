package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.RawWebSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that expire in the logs of a node and of its leaf. */
@Timeout(180)
final class ExpiryIT {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final String HOUR_MS = "3600000";
  private static final int HOUR = 3_600;

  private static ArtemisProcess broker;
  private static TestNode root;
  private static TestNode leaf;

  @BeforeAll
  static void start() throws Exception {
    broker = ArtemisProcess.start();
    root =
        TestNode.start(
            config(broker.url())
                .with(LinkSettings.PORT, 0)
                .with(LinkSettings.SUBSCRIBE, List.of(">"))
                .with(TopicSettings.PUBLISH_TOPICS, List.of("exp.>", "kept.>"))
                .with(HistorySettings.KEY_PROPERTIES, List.of("kept.>=id"))
                .with(HistorySettings.REMOVAL_PROPERTY, "removed")
                .with(HistorySettings.WARM, List.of("kept.>"))
                .with(BrokerSettings.FORWARD_PROPERTIES, List.of("id")));
    root.awaitReady();
    leaf =
        TestNode.start(
            config("")
                .with(LinkSettings.ROOTS, List.of("ws://127.0.0.1:" + root.gateway().linkPort())));
    leaf.awaitReady();
  }

  private static Config config(String url) {
    return TestNode.unlimited(TestNode.config("artemis", url))
        .with(BrokerSettings.LINGER, Duration.ofMinutes(1));
  }

  @AfterAll
  static void stop() throws Exception {
    leaf.close();
    root.close();
    broker.close();
  }

  private static HttpRequest.Builder to(TestNode node, String path) {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:" + node.gateway().port() + "/topics/" + path));
  }

  private static void publish(String topic, String payload, String ttlMs) throws Exception {
    HttpRequest request =
        to(root, topic)
            .header("Content-Type", "text/plain")
            .header("Sluice-TTL", ttlMs)
            .POST(HttpRequest.BodyPublishers.ofString(payload))
            .build();
    assertThat(HTTP.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(204);
  }

  private static String read(TestNode node, String topic) throws Exception {
    return HTTP.send(to(node, topic + "?offset=-1").build(), BodyHandlers.ofString()).body();
  }

  private static String firstEvent(TestNode node, String topic) throws Exception {
    HttpRequest request =
        to(node, topic + "?offset=-1").header("Accept", "text/event-stream").build();
    try (Stream<String> lines = HTTP.send(request, BodyHandlers.ofLines()).body()) {
      return lines.filter(line -> line.startsWith("data")).findFirst().orElseThrow();
    }
  }

  @Test
  void shouldNotBeSentByAnyProtocolOnceExpired() throws Exception {
    try (RawWebSocket atRoot = root.json();
        RawWebSocket atLeaf = leaf.json();
        StompSocket stomp = StompSocket.open(root)) {
      atRoot.subscribe(1, "exp.a");
      atLeaf.subscribe(1, "exp.a");
      atRoot.subscribe(2, "exp.b");
      atLeaf.subscribe(2, "exp.b");
      String subscribe = "SUBSCRIBE\nid:1\ndestination:exp.a\n";
      String position = stomp.request(subscribe + "\n").header("position");
      publish("exp.b", "short", "1000");
      assertThat(atRoot.payloads(1)).containsExactly("short");
      assertThat(atLeaf.payloads(1)).containsExactly("short");
      publish("exp.a", "short", "1000");
      publish("exp.a", "long", HOUR_MS);
      assertThat(atRoot.payloads(2)).containsExactly("short", "long");
      assertThat(atLeaf.payloads(2)).containsExactly("short", "long");
      assertThat(Long.parseLong(stomp.await("MESSAGE").header("expires")))
          .isGreaterThan(System.currentTimeMillis() - HOUR * 1_000);

      for (TestNode node : List.of(root, leaf)) {
        await().until(() -> read(node, "exp.a").equals("[\"long\"]"));
        assertThat(firstEvent(node, "exp.a")).isEqualTo("data:long");
        for (RawWebSocket late : List.of(node.json(), node.binary())) {
          try (late) {
            assertThat(late.subscribe(1, "exp.b").path("replay").asInt()).isZero();
          }
        }
      }
      try (StompSocket late = StompSocket.open(root)) {
        late.send(subscribe + "from:" + position + "\n\n");
        assertThat(late.await("MESSAGE").body()).isEqualTo("long");
      }
    }
  }

  @Test
  void shouldHaveItsRemainingIntervalWithMqtt5() throws Exception {
    try (MqttTestClient publisher = MqttTestClient.connect(root, true);
        MqttTestClient keeper = MqttTestClient.connect(root, true)) {
      keeper.subscribe(1, "kept/x/#");
      publisher.publish("kept/x/short", "short", 1, true, 1, properties(2));
      publisher.read();
      publisher.publish("kept/x/long", "long", 1, true, 2, properties(HOUR));
      publisher.read();
      assertThat(interval(keeper.publication())).isBetween(1, 2);
      assertThat(interval(keeper.publication())).isBetween(HOUR - 60, HOUR);
      await().until(() -> retained().equals("long"));
    }
  }

  private static MqttProperties properties(int expirySeconds) {
    MqttProperties properties = new MqttProperties();
    properties.add(new MqttProperties.UserProperty("id", "7"));
    properties.add(
        new MqttProperties.IntegerProperty(
            MqttProperties.PUBLICATION_EXPIRY_INTERVAL, expirySeconds));
    return properties;
  }

  private static int interval(MqttPublishMessage message) {
    try {
      return (Integer)
          message
              .variableHeader()
              .properties()
              .getProperty(MqttProperties.PUBLICATION_EXPIRY_INTERVAL)
              .value();
    } finally {
      message.release();
    }
  }

  /** Returns the first retained message. */
  private static String retained() {
    try (MqttTestClient late = MqttTestClient.connect(root, true)) {
      late.subscribe(0, false, 0, "kept/x/#");
      return late.message().payload();
    }
  }
}
