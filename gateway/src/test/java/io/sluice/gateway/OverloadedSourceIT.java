package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.testkit.NatsServer;
import io.sluice.testkit.RawWebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A source that exceeds the capacity of the node, beside two that do not. */
@Isolated("uses all processors")
@Timeout(300)
final class OverloadedSourceIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final List<String> HOT = List.of("hot.1", "hot.2", "hot.3", "hot.4");
  private static final List<String> QUIET = List.of("orders", "news");
  private static final byte[] PAYLOAD = "\"".repeat(2_000).getBytes(UTF_8);
  private static final int BURST = 200;
  private static final int ROUNDS = 50;

  @TempDir private Path kafkaFolder;
  @TempDir private Path natsFolder;

  private volatile boolean ended;

  /** Reasons of the gaps by hot topic. */
  private final Map<String, String> gaps = new ConcurrentHashMap<>();

  @Test
  @SuppressWarnings("try")
  void shouldDeliverTopicsOfOtherSources() throws Exception {
    assumeTrue(NatsServer.provide().isPresent(), "nats-server");
    try (SourceServer kafka = SourceServer.start("kafka", kafkaFolder).create(List.of("orders"));
        SourceServer jms = SourceServer.start("artemis", kafkaFolder);
        SourceServer nats = SourceServer.start("nats", natsFolder);
        TestNode node = TestNode.start(config(jms, kafka, nats));
        Connection publisher = Nats.connect(nats.url())) {
      node.awaitReady();
      Thread reader = new Thread(() -> readGaps(node), "hot-reader");
      Thread flood = new Thread(() -> flood(publisher), "flood");
      try (RawWebSocket client = node.json();
          RawWebSocket sender = node.json()) {
        for (String topic : QUIET) {
          client.subscribe(QUIET.indexOf(topic) + 1, topic);
        }
        reader.start();
        flood.start();
        await().atMost(LONG).until(() -> gaps.keySet().containsAll(HOT));
        for (int round = 0; round < ROUNDS; round++) {
          for (String topic : QUIET) {
            assertDelivers(client, sender, topic, "round " + round);
          }
        }
        assertThat(flood.isAlive() && reader.isAlive()).as("the source is overloaded").isTrue();
      } finally {
        ended = true;
        flood.join();
        reader.join();
      }
      assertThat(gaps.values()).containsOnly("overload");
      assertThat(node.metric("sluice_broker_connected{source=\"nats\"}")).isEqualTo(1);
    }
  }

  // Without the silence that a slow machine may be taken for, and with short queues.
  private static Config config(SourceServer jms, SourceServer kafka, SourceServer nats) {
    return TestNode.unlimited(jms.config())
        .with(BrokerSettings.CANARY_TIMEOUT, LONG)
        .with(KafkaSettings.SERVERS, List.of(kafka.url()))
        .with(KafkaSettings.TOPICS, List.of("orders"))
        .with(NatsSettings.SERVERS, List.of(nats.url()))
        .with(NatsSettings.TOPICS, List.of("hot.*"))
        .with(LimitSettings.INGRESS_QUEUE_BYTES, 1L << 20);
  }

  private static void assertDelivers(
      RawWebSocket client, RawWebSocket sender, String topic, String payload) {
    assertThat(sender.publish(1, topic, payload).path("type").asText()).isEqualTo("published");
    JsonNode frame;
    do {
      frame = client.readJson();
      assertThat(frame.path("type").asText()).isIn("message", "caught-up");
    } while (!frame.path("topic").asText().equals(topic));
    assertThat(frame.path("payload").asText()).isEqualTo(payload);
  }

  private void flood(Connection publisher) {
    try {
      while (!ended) {
        for (int i = 0; i < BURST; i++) {
          publisher.publish(HOT.get(i % HOT.size()), PAYLOAD);
        }
        publisher.flush(LONG);
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  // With the newest messages only, so that the client is never too slow.
  private void readGaps(TestNode node) {
    try (RawWebSocket client = node.json()) {
      for (String topic : HOT) {
        client.text(
            "{\"type\":\"subscribe\",\"ref\":%d,\"topic\":\"%s\",\"delivery\":\"latest\"}"
                .formatted(HOT.indexOf(topic) + 1, topic));
      }
      while (!ended) {
        JsonNode frame = client.readJson();
        if (frame.path("type").asText().equals("gap")) {
          gaps.put(frame.path("topic").asText(), frame.path("reason").asText());
        }
      }
    }
  }
}
