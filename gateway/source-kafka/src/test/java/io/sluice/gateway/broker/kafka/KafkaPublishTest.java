package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.PublishHeaders.Mode;
import io.sluice.testkit.KafkaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of publishing to a real server. */
final class KafkaPublishTest {
  @TempDir private static Path folder;

  private static KafkaProcess server;
  private static KafkaTopics topics;

  private SourceScene scene;

  @BeforeAll
  static void startServer() throws Exception {
    server = KafkaProcess.start(folder);
    topics = new KafkaTopics(server.server());
    topics.create("plain", 1, "max.message.bytes=1000");
    topics.create("compacted", 1, "cleanup.policy=compact");
    topics.create("keyed", 1);
    topics.create("parts", 2);
  }

  @AfterAll
  static void stopServer() {
    topics.close();
    server.close();
  }

  @BeforeEach
  void start() {
    scene =
        SourceScene.start(
            SourceScene.config(
                    server.server(), List.of("plain", "compacted", "absent"), List.of("keyed"))
                .with(KafkaSettings.PARTITION_TOPICS, List.of("parts"))
                .with(BrokerSettings.PUBLISH_TIMEOUT, Duration.ofSeconds(5))
                .with(LimitSettings.BROKER_MESSAGE_BYTES, 10_000L)
                .with(BrokerSettings.FORWARD_PROPERTIES, List.of("item", "count", "JMSType"))
                .with(HistorySettings.KEY_PROPERTIES, List.of("compacted=item"))
                .with(HistorySettings.REMOVAL_PROPERTY, "removed"));
    Awaitility.await().until(() -> scene.events.contains("live"));
  }

  @AfterEach
  void stop() {
    scene.close();
  }

  private String publish(String topic, Map<String, Object> properties) throws Exception {
    return publish(topic, properties, PublishHeaders.DEFAULT, "text");
  }

  private String publish(
      String topic, Map<String, Object> properties, PublishHeaders headers, String text)
      throws Exception {
    PublishOutcome outcome = new PublishOutcome();
    scene.source.publish(
        new Publication(
            Destination.topic(topic), PayloadKind.TEXT, text.getBytes(UTF_8), properties, headers),
        outcome);
    return outcome.await();
  }

  private static PublishHeaders headers(int priority, long ttlMs, long delayMs, Mode mode) {
    return new PublishHeaders(priority, ttlMs, delayMs, mode, "sale", null, null, null, "1");
  }

  @Test
  void shouldPublishToTheKeyOfAKeyedTopic() throws Exception {
    TopicEvents events = scene.open("keyed.a.b").awaitActive();
    assertThat(publish("keyed.a.b", Map.of())).isEqualTo("published");
    assertThat(publish("keyed.a.b", Map.of("removed", true))).isEqualTo("published");
    events.await("removal");
    assertThat(events.all()).containsExactly("stream", "active", "text", "removal");
    assertThat(publish("keyed", Map.of("removed", true)))
        .isEqualTo("publish-failed: a removal in Kafka requires a key");
  }

  @Test
  void shouldPublishValuesWithASchema() throws Exception {
    scene.close();
    scene =
        SourceScene.start(
            SourceScene.config(server.server(), List.of("plain"), List.of()), new TextSchemas());
    Awaitility.await().until(() -> scene.events.contains("live"));
    TopicEvents events = scene.open("plain").awaitActive();
    assertThat(publish("plain", Map.of("count", 3), PublishHeaders.DEFAULT, "[1]"))
        .isEqualTo("published");
    assertThat(publish("plain", Map.of())).isEqualTo("publish-failed: must be an array");
    assertThat(events.awaitMessages(1).all()).containsExactly("stream", "active", "[1]");
  }

  @Test
  void shouldPublishToOtherTopicsWhileOneWaitsForItsSchema() throws Exception {
    scene.close();
    TextSchemas schemas = new TextSchemas();
    schemas.held = "compacted";
    scene =
        SourceScene.start(
            SourceScene.config(server.server(), List.of("plain", "compacted"), List.of()), schemas);
    Awaitility.await().until(() -> scene.events.contains("live"));
    PublishOutcome held = new PublishOutcome();
    scene.source.publish(
        new Publication("compacted", PayloadKind.TEXT, "[1]".getBytes(UTF_8), Map.of()), held);
    assertThat(publish("plain", Map.of(), PublishHeaders.DEFAULT, "[2]")).isEqualTo("published");
    schemas.written.countDown();
    assertThat(held.await()).startsWith("publish-failed"); // a compacted topic requires a key
  }

  @Test
  @Tag("full")
  void shouldPublishToOtherTopicsWhileOneConfirmsNothing() throws Exception {
    topics.create("slow", 1, "min.insync.replicas=2"); // it has one
    scene.close();
    scene =
        SourceScene.start(
            SourceScene.config(server.server(), List.of("plain", "slow"), List.of())
                .with(BrokerSettings.PUBLISH_TIMEOUT, Duration.ofSeconds(30)));
    Awaitility.await().until(() -> scene.events.contains("live"));
    PublishOutcome last = new PublishOutcome();
    byte[] large = new byte[900_000];
    for (int i = 0; i < 50; i++) { // more than the default memory of a producer
      last = new PublishOutcome();
      scene.source.publish(new Publication("slow", PayloadKind.BYTES, large, Map.of()), last);
    }
    for (int i = 0; i < 10; i++) {
      assertThat(publish("plain", Map.of())).isEqualTo("published");
    }
    assertThat(last.isEnded()).as("a confirmed publish to the slow topic").isFalse();
  }

  @Test
  void shouldPublishToAPartition() throws Exception {
    TopicEvents events = scene.open("parts.*").awaitActive();
    assertThat(publish("parts.1", Map.of())).isEqualTo("published");
    assertThat(events.awaitMessages(1).messages().get(0).topic()).isEqualTo("parts.1");
    assertThat(publish("parts.2", Map.of()))
        .isEqualTo("unknown-topic: the topic has no such partition");
    assertThat(publish("parts", Map.of())).startsWith("unknown-topic: ").contains("partition");
  }

  @Test
  void shouldPublishKeyAndHeaders() throws Exception {
    TopicEvents events = scene.open("compacted").awaitActive();
    PublishHeaders headers = headers(4, 0, 0, Mode.PERSISTENT);
    assertThat(publish("compacted", Map.of("item", "x", "count", 3), headers, "text"))
        .isEqualTo("published");
    Message message = events.awaitMessages(1).messages().get(0);
    assertThat(message.key()).isEqualTo("x");
    assertThat(new String(message.properties(), UTF_8))
        .isEqualTo("{\"item\":\"x\",\"count\":\"3\",\"JMSType\":\"sale\"}");
  }

  @Test
  void shouldExplainRefusals() throws Exception {
    assertThat(publish("absent", Map.of()))
        .isEqualTo("unknown-topic: the cluster has no such topic");
    assertThat(publish("other", Map.of())).startsWith("unknown-topic: ").contains("kafka.topics");
    assertThat(publish("plain", Map.of(), PublishHeaders.DEFAULT, "x".repeat(2_000)))
        .startsWith("publish-failed: ")
        .contains("larger than the max message size");
    assertThat(publish("compacted", Map.of()))
        .startsWith("publish-failed: ")
        .contains("Compacted topic cannot accept message without key");
    assertThat(publish("plain", Map.of())).isEqualTo("published");
  }

  @Test
  void shouldRefuseWhatKafkaLacks() throws Exception {
    assertThat(publish("plain", Map.of(), headers(4, 1, 0, Mode.OF_NODE), ""))
        .startsWith("unsupported: \"ttl\"");
    assertThat(publish("plain", Map.of(), headers(4, 0, 1, Mode.OF_NODE), ""))
        .startsWith("unsupported: \"delay\"");
    assertThat(publish("plain", Map.of(), headers(9, 0, 0, Mode.OF_NODE), ""))
        .startsWith("unsupported: \"priority\"");
    assertThat(publish("plain", Map.of(), headers(4, 0, 0, Mode.NON_PERSISTENT), ""))
        .startsWith("unsupported: \"persistent\"");
    PublishOutcome queue = new PublishOutcome();
    scene.source.publish(
        new Publication(
            Destination.queue("q"),
            PayloadKind.TEXT,
            new byte[0],
            Map.of(),
            PublishHeaders.DEFAULT),
        queue);
    assertThat(queue.await()).isEqualTo("unsupported: Kafka has no queues");
  }

  @Tag("full")
  @Test
  void shouldRefuseWhileTheClusterIsLost() throws Exception {
    server.kill();
    try {
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> scene.events.contains("lost"));
      assertThat(publish("plain", Map.of()))
          .isEqualTo("broker-unavailable: the cluster is not connected");
    } finally {
      server.restart();
    }
  }
}
