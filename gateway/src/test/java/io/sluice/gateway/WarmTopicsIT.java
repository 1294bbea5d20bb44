package io.sluice.gateway;

import static io.sluice.gateway.TestCluster.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.TextMessage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Topics of one node that another one keeps open. */
final class WarmTopicsIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String UP = "sluice_cluster_nodes{state=\"up\"}";
  private static final String WARM = "sluice_cluster_topics_warm";
  private static final String LEFT_OUT = "sluice_cluster_topics_left_out";
  private static final String INTERESTS = "sluice_interests";

  private static void eventually(Callable<Boolean> condition) {
    await().atMost(LONG).until(condition);
  }

  private static void awaitUp(TestNode... nodes) {
    for (TestNode node : nodes) {
      eventually(() -> node.metric(UP) == nodes.length);
    }
  }

  @Tag("full")
  @Test
  void shouldPreSubscribeTopicsOfAnotherNodeAndReleaseThemLater() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("keep", broker, 2);
      Config brief = cluster.config(1).with(ClusterSettings.WARM_LINGER, Duration.ofMillis(100));
      try (TestNode first = start(cluster.config(0));
          TestNode second = start(brief)) {
        awaitUp(first, second);
        try (RawWebSocket client = first.json()) {
          client.subscribe(1, "keep.a");
          client.subscribe(2, "keep.b");
          eventually(() -> broker.consumers("keep.a") == 2 && broker.consumers("keep.b") == 2);
          eventually(() -> second.metric(WARM) == 2);
          assertThat(first.metric(WARM)).as("it has its own clients").isZero();
          assertThat(second.gateway().topicsInUse()).as("clients use none there").isEmpty();
        }
        eventually(() -> second.metric(WARM) == 0 && second.metric(INTERESTS) == 0);
      }
    }
  }

  @Tag("full")
  @Test
  void shouldPreSubscribeSelectorsOfAnotherNode() throws Exception {
    String frame =
        "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"chosen\",\"tagged\":true,"
            + "\"where\":\"JMSType = 'b'\",\"from\":\"snapshot\"}";
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("select", broker, 2);
      try (TestNode first = start(cluster.config(0));
          TestNode second = start(cluster.config(1));
          RawWebSocket client = first.json();
          RawWebSocket visitor = second.json();
          TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
        awaitUp(first, second);
        client.text(frame);
        client.await("subscribed");
        eventually(() -> second.metric(WARM) == 1 && broker.consumers("chosen") == 2);
        for (String type : List.of("a", "b", "c")) {
          TextMessage message = publisher.session().createTextMessage(type);
          message.setJMSType(type);
          publisher.send("chosen", message);
        }
        assertThat(client.await("message").get("payload").asText()).isEqualTo("b");
        eventually(() -> second.metric("sluice_messages_in_total") == 3);
        visitor.text(frame);
        assertThat(visitor.await("subscribed").get("replay").asInt()).isEqualTo(1);
        assertThat(visitor.await("message").get("payload").asText()).isEqualTo("b");
        assertThat(broker.consumers("chosen")).isEqualTo(2);
      }
    }
  }

  @Tag("full")
  @Test
  void shouldKeepItsOwnTopicWhileAnotherNodeUsesIt() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("both", broker, 2);
      try (TestNode first = start(cluster.config(0));
          TestNode second = start(cluster.config(1));
          RawWebSocket client = first.json()) {
        awaitUp(first, second);
        client.subscribe(1, "both.a");
        eventually(() -> second.metric(WARM) == 1);
        try (RawWebSocket visitor = second.json()) {
          visitor.subscribe(1, "both.a");
        }
        try (RawWebSocket visitor = second.json()) {
          visitor.subscribe(1, "both.other");
        }
        eventually(() -> second.metric(INTERESTS) == 1); // the other one has gone
        assertThat(broker.consumers("both.a")).isEqualTo(2);
      }
    }
  }

  @Tag("full")
  @Test
  void shouldReportTopicsBeyondTheLimit() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("limit", broker, 2);
      try (TestNode first = start(cluster.config(0).with(ClusterSettings.WARM_TOPICS, 3));
          TestNode second = start(cluster.config(1).with(ClusterSettings.WARM_TOPICS, 2));
          RawWebSocket client = first.json()) {
        awaitUp(first, second);
        for (int i = 0; i < 4; i++) {
          client.subscribe(i + 1, "limit." + i);
        }
        eventually(() -> second.metric(WARM) == 2);
        eventually(() -> first.metric(LEFT_OUT) == 1);
        assertThat(second.metric(INTERESTS)).isEqualTo(2);
      }
    }
  }

  @Tag("full")
  @Test
  void shouldPreSubscribeNothingIfDisabled() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("off", broker, 2);
      try (TestNode first = start(cluster.config(0).with(ClusterSettings.KEEP_WARM, false));
          TestNode second = start(cluster.config(1).with(ClusterSettings.KEEP_WARM, false));
          RawWebSocket client = first.json();
          RawWebSocket other = second.json()) {
        awaitUp(first, second);
        client.subscribe(1, "off.a");
        other.subscribe(1, "off.b");
        eventually(() -> first.gateway().topicsInUse().size() == 1);
        Callable<Boolean> hasNothing =
            () -> second.metric(INTERESTS) == 1 && first.metric(INTERESTS) == 1;
        await().during(Duration.ofSeconds(2)).atMost(LONG).until(hasNothing);
      }
    }
  }
}
