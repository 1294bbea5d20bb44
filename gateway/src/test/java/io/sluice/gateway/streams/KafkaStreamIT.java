package io.sluice.gateway.streams;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.broker.kafka.KafkaTopics;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.streams.EventClient.Event;
import io.sluice.testkit.KafkaProcess;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Event streams of a Kafka topic: an id names the partition of the latest message only. */
final class KafkaStreamIT {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PARTITIONS = 4;
  private static final int COUNT = 40;

  @TempDir private static Path folder;

  private static Config config(KafkaProcess server, String name) {
    return TestNode.unlimited(TestNode.config("artemis", ""))
        .with(AdminSettings.NODE_NAME, name)
        .with(KafkaSettings.SERVERS, List.of(server.server()))
        .with(KafkaSettings.TOPICS, List.of("parts", "cold"));
  }

  private static EventClient open(TestNode node, String topic, String... headers) {
    String url = "http://127.0.0.1:" + node.gateway().port() + "/topics/" + topic;
    return EventClient.open(HTTP, url, headers);
  }

  private static void publish(KafkaTopics topics, String topic, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      topics.send(topic, i % 3 == 0 ? 2 : i % PARTITIONS, "" + i, "" + i).get();
    }
  }

  @Test
  void shouldContinueAtAnotherNodeExactlyOrReportAGap() throws Exception {
    try (KafkaProcess server = KafkaProcess.start(folder);
        KafkaTopics topics = new KafkaTopics(server.server())) {
      topics.create("parts", PARTITIONS);
      topics.create("cold", PARTITIONS);
      try (TestNode first = TestCluster.start(config(server, "first"));
          TestNode second = TestCluster.start(config(server, "second"));
          EventClient keeper = open(second, "parts")) {
        assertThat(keeper.status()).isEqualTo(200);
        assertMoves(topics, first, second, "parts");
        assertMoves(topics, first, second, "cold");
      }
    }
  }

  private static void assertMoves(KafkaTopics topics, TestNode first, TestNode second, String topic)
      throws Exception {
    String id = "";
    TreeSet<Integer> seen = new TreeSet<>();
    try (EventClient client = open(first, topic)) {
      publish(topics, topic, 0, COUNT);
      while (seen.size() <= COUNT / 2) {
        Event event = client.await("message");
        seen.add(Integer.parseInt(event.data()));
        id = event.lastEventId();
      }
    }
    publish(topics, topic, COUNT, 2 * COUNT);
    int marked = 0;
    boolean isGap = false;
    try (EventClient client = open(second, topic, "Last-Event-ID", id)) {
      publish(topics, topic, 2 * COUNT, 2 * COUNT + 1);
      while (!isGap && seen.size() <= 2 * COUNT) {
        Event event = client.next();
        switch (event.type()) {
          case "gap" -> isGap = true;
          case "repeat" -> marked = JSON.readTree(event.data()).get("messages").asInt();
          default -> {
            assertThat(event.type()).isEqualTo("message");
            boolean isNew = seen.add(Integer.parseInt(event.data()));
            assertThat(isNew || marked > 0).as("%s is new or marked", event).isTrue();
            marked--;
          }
        }
      }
    }
  }
}
