package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.broker.kafka.KafkaTopics;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.testkit.KafkaProcess;
import io.sluice.testkit.RawWebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.ElectionType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of two nodes with three Kafka servers, which fail in turn. */
@Tag("full")
final class KafkaClusterIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PARTITIONS = 12;
  private static final int CLIENTS = 500;

  @TempDir private static Path folder;

  private static List<KafkaProcess> servers;
  private static KafkaTopics topics;

  private TestNode first;
  private TestNode second;

  @BeforeAll
  static void startServers() throws Exception {
    servers =
        KafkaProcess.startCluster(
            folder, 3, "min.insync.replicas=2", "auto.leader.rebalance.enable=false");
    topics = new KafkaTopics(String.join(",", addresses()));
    topics.createReplicated("flow", PARTITIONS, 3, "cleanup.policy=compact");
    topics.createAt(
        "unclean", List.of(1, 2), "min.insync.replicas=1", "unclean.leader.election.enable=true");
  }

  @AfterAll
  static void stopServers() {
    topics.close();
    servers.forEach(KafkaProcess::close);
  }

  @BeforeEach
  void startNodes() {
    first = TestNode.start(config("first"));
    second = TestNode.start(config("second"));
    first.awaitReady();
    second.awaitReady();
  }

  @AfterEach
  void stopNodes() {
    first.close();
    second.close();
  }

  private static List<String> addresses() {
    return servers.stream().map(KafkaProcess::server).toList();
  }

  private static Config config(String name) {
    return TestNode.unlimited(TestNode.config("artemis", ""))
        .with(AdminSettings.NODE_NAME, name)
        .with(KafkaSettings.SERVERS, addresses())
        .with(KafkaSettings.TOPICS, List.of("flow", "unclean"))
        .with(KafkaSettings.REFRESH, Duration.ofMillis(500))
        .with(HistorySettings.MESSAGES, 50_000)
        .with(HistorySettings.BYTES, 64L << 20)
        .with(BrokerSettings.LINGER, Duration.ofSeconds(10));
  }

  @Test
  void shouldLoseAndDoubleNothingWhileServersFailAndLeadersMove() throws Exception {
    StoredFlow flow = StoredFlow.kafka(topics, "flow", PARTITIONS, 2_000, 50);
    ClientMoves.assertExact(
        ClientMoves.to(first, second),
        "flow",
        CLIENTS,
        4_000,
        flow,
        () -> {
          int sent = 0;
          for (KafkaProcess server : servers) {
            flow.awaitSent(sent += 400);
            server.kill();
            topics.awaitOutOfSync("flow", server.id());
            server.restart();
            topics.awaitInSync("flow");
            topics.elect(ElectionType.PREFERRED, "flow");
            topics.awaitLeader("flow", server.id());
          }
        });
  }

  @Test
  void shouldReportMessagesThatAnUncleanElectionHasRemoved() throws Exception {
    KafkaProcess full = servers.get(0);
    KafkaProcess behind = servers.get(1);
    topics.publishNumbers("unclean", 0, 0, 10);
    try (RawWebSocket client = first.json();
        RawWebSocket other = second.json()) {
      JsonNode subscribed = client.subscribe(1, "unclean");
      other.subscribe(1, "unclean");
      behind.kill();
      topics.awaitOutOfSync("unclean", behind.id());
      topics.publishNumbers("unclean", 0, 10, 20);
      JsonNode removed = null;
      for (int number = 10; number < 20; number++) {
        removed = client.await("message");
      }
      other.payloads(10);
      full.kill();
      behind.restart();
      topics.elect(ElectionType.UNCLEAN, "unclean");
      topics.publishNumbers("unclean", 0, 20, 40);
      assertThat(client.await("gap").get("reason").asText()).isEqualTo("broker-lost");
      assertThat(other.await("gap").get("reason").asText()).isEqualTo("broker-lost");
      assertThat(other.payloads(20)).startsWith("20").endsWith("39");
      full.restart();
      topics.awaitInSync("unclean");
      assertUnrecovered(ClientPositions.position(subscribed, removed, null));
    }
  }

  private void assertUnrecovered(ObjectNode position) {
    for (TestNode node : List.of(first, second)) {
      try (RawWebSocket moved = node.json()) {
        ObjectNode frame = JSON.createObjectNode();
        frame.put("type", "subscribe").put("ref", 1).put("topic", "unclean").set("from", position);
        moved.text(frame.toString());
        assertThat(moved.await("subscribed").get("recovered").asBoolean()).isFalse();
      }
    }
  }
}
