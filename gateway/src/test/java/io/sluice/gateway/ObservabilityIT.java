package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SmallDisk;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Readiness reasons and metrics of a node that has a problem. */
@Timeout(180)
final class ObservabilityIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private static String readiness(TestNode node) {
    return node.admin("/health/ready").body();
  }

  private static void awaitReason(TestNode node, String reason) {
    await().atMost(TIMEOUT).untilAsserted(() -> assertThat(readiness(node)).contains(reason));
  }

  @Test
  void shouldReportAWrongPasswordAsReasonNotReady() {
    try (TestBroker broker = ArtemisProcess.start("--user", "node", "--password", "right");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(BrokerSettings.USER, "node")
                    .with(BrokerSettings.PASSWORD, "wrong-one"))) {
      awaitReason(node, "broker: not connected: AMQ229031: Unable to validate user");
      assertThat(readiness(node)).doesNotContain("wrong-one");
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportALostBrokerAndCountTheGaps(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(TestNode.config(provider, broker.url()));
        RawWebSocket all = node.json();
        RawWebSocket latest = node.json();
        RawWebSocket other = node.json()) {
      node.awaitReady();
      all.subscribe(1, "prices.1");
      latest.text(
          "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"prices.1\",\"delivery\":\"latest\"}");
      latest.await("subscribed");
      other.subscribe(1, "prices.2");
      broker.kill();
      awaitReason(node, "broker: not connected: ");
      broker.restart();
      for (RawWebSocket client : List.of(all, latest, other)) {
        assertThat(client.await("gap").get("reason").asText()).isEqualTo("broker-lost");
      }
      await() // a gap is counted after the batch that it was sent with
          .atMost(TIMEOUT)
          .until(() -> node.metric("sluice_gaps_sent_total{reason=\"broker-lost\"}") == 3);
    }
  }

  @Test
  void shouldCountRejectionsByLimitsOfSubscriptionsTopicsAndChannels() {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(BrokerSettings.LINGER, Duration.ofHours(1))
                    .with(LimitSettings.SUBSCRIPTIONS, 2)
                    .with(LimitSettings.CHANNELS, 1)
                    .with(LimitSettings.ADDRESS_TOPICS, 0)
                    .with(LimitSettings.TOPICS, 2));
        RawWebSocket client = node.json()) {
      node.awaitReady();
      client.subscribe(1, "a");
      refuse(client, "b"); // it gets no number
      client.subscribe(2, "c.>");
      try (RawWebSocket second = node.json()) {
        second.subscribe(1, "a");
        refuse(second, "d.>"); // it is a third topic
        second.subscribe(2, "c.>");
        refuse(second, "a.b"); // it is a third subscription
      }
      for (String limit :
          List.of("limits.channels", "limits.per-node.topics", "limits.subscriptions")) {
        assertThat(node.metric("sluice_limits_reached_total{limit=\"" + limit + "\"}"))
            .as(limit)
            .isEqualTo(1);
      }
    }
  }

  private static void refuse(RawWebSocket client, String topic) {
    client.text("{\"type\":\"subscribe\",\"ref\":9,\"topic\":\"" + topic + "\"}");
    client.await("error");
  }

  @Test
  void shouldNotBeReadyWhileTheDiskOfTheJournalIsFull() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder.resolve("disk"));
        TestBroker broker = TestBroker.start("artemis", folder.resolve("broker"));
        TestNode node = TestNode.start(durable(broker, disk.folder().resolve("journal")));
        TestPublisher publisher = new TestPublisher("artemis", broker.url()).persistent()) {
      node.awaitReady();
      Path filler = disk.fill();
      String payload = "x".repeat(64 * 1024);
      for (int i = 0; i < 10; i++) {
        publisher.text("orders.7", payload);
      }
      awaitReason(node, "journal folder ");
      assertThat(readiness(node)).contains(disk.folder().toString(), "full");
      Files.delete(filler);
      node.awaitReady();
    }
  }

  private static Config durable(TestBroker broker, Path journal) {
    return TestNode.config("artemis", broker.url())
        .with(BrokerSettings.CLIENT_ID, "observability-it")
        .with(BrokerSettings.DURABLE, List.of("orders.>"))
        .with(HistorySettings.JOURNAL_FOLDER, journal.toString());
  }
}
