package io.sluice.gateway;

import static io.sluice.gateway.TestCluster.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients of a node that has lost its broker, which other nodes may have. */
final class BrokerLossRedirectIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String FOLLOWS = "{\"type\":\"connect\",\"redirect\":true}";
  private static final String UP = "sluice_cluster_nodes{state=\"up\"}";
  private static final String TOLD = "sluice_redirects_total{cause=\"broker-lost\"}";

  private static void eventually(Callable<Boolean> condition) {
    await().atMost(LONG).until(condition);
  }

  private static RawWebSocket enter(TestNode node, String connect) {
    RawWebSocket client = node.json();
    client.text(connect);
    client.await("hello");
    return client;
  }

  private static Config over(HalfOpenLink link, Config config) {
    return config.with(BrokerSettings.URL, link.url());
  }

  @Test
  void shouldRedirectItsClientsToANodeWithABroker() throws Exception {
    int clients = 20;
    List<RawWebSocket> all = new ArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis");
        HalfOpenLink link = new HalfOpenLink(broker.url())) {
      TestCluster cluster = new TestCluster("alone-lost", broker, 3);
      try (TestNode first = start(cluster.config(0));
          TestNode second = start(cluster.config(1));
          TestNode lost = start(over(link, cluster.config(2)))) {
        eventually(() -> lost.metric(UP) == 3 && first.metric(UP) == 3);
        for (int i = 0; i < clients; i++) {
          all.add(enter(lost, FOLLOWS));
        }
        RawWebSocket stays = enter(lost, "{\"type\":\"connect\"}");
        all.add(stays);
        link.cut();
        List<String> places = new ArrayList<>();
        for (RawWebSocket client : all.subList(0, clients)) {
          places.add(client.await("redirect").get("url").asText());
        }
        assertThat(places).contains(cluster.url(0), cluster.url(1)).hasSize(clients);
        assertThat(lost.metric(TOLD)).isEqualTo(clients);
        stays.text("{\"type\":\"ping\",\"ref\":7}");
        assertThat(stays.await("pong").get("ref").asInt()).isEqualTo(7);

        try (RawWebSocket comes = lost.json()) {
          comes.text(FOLLOWS);
          JsonNode answer = comes.readJson();
          assertThat(answer.get("type").asText()).isEqualTo("redirect");
          assertThat(answer.get("url").asText()).isIn(cluster.url(0), cluster.url(1));
          assertThat(comes.awaitClose()).isEqualTo(4101);
        }
        assertThat(second.metric(TOLD)).isZero();

        link.mend();
        eventually(() -> lost.admin("/health/ready").statusCode() == 200);
        try (RawWebSocket comes = lost.json()) {
          comes.text(FOLLOWS);
          assertThat(comes.readJson().get("type").asText()).isEqualTo("hello");
        }
      }
    } finally {
      all.forEach(RawWebSocket::close);
    }
  }

  @Tag("full")
  @Test
  void shouldLeaveItsClientsPositionsThatTheOtherNodeRecovers() throws Exception {
    String topic = "way.a";
    try (TestBroker broker = TestBroker.start("artemis");
        HalfOpenLink link = new HalfOpenLink(broker.url())) {
      TestCluster cluster = new TestCluster("way", broker, 2);
      Config pings = cluster.config(1).with(TimeoutSettings.PING, Duration.ofMillis(100));
      try (TestNode first = start(cluster.config(0));
          TestNode lost = start(over(link, pings));
          RawWebSocket client = enter(lost, FOLLOWS)) {
        eventually(() -> lost.metric(UP) == 2);
        JsonNode subscribed = client.subscribe(1, topic);
        eventually(() -> first.metric("sluice_cluster_topics_warm") == 1);
        long trustedMs = System.currentTimeMillis() + 1_000;
        JsonNode caughtUp = client.await("caught-up");
        while (caughtUp.get("time").asLong() < trustedMs) {
          caughtUp = client.await("caught-up");
        }
        link.cut();
        client.await("stale");
        try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
          publisher.text(topic, "missed here");
        }
        client.await("redirect");
        try (RawWebSocket there = first.json()) {
          there.text(
              "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"%s\",\"from\":".formatted(topic)
                  + "{\"epoch\":%s,\"offset\":%s,\"since\":%s,\"time\":%s}}"
                      .formatted(
                          subscribed.get("epoch"),
                          subscribed.get("offset"),
                          subscribed.get("time"),
                          caughtUp.get("time")));
          assertThat(there.await("subscribed").get("recovered").asBoolean()).isTrue();
          assertThat(there.await("message").get("payload").asText()).isEqualTo("missed here");
        }
      }
    }
  }

  @Tag("full")
  @Test
  void shouldKeepItsClientsIfNoNodeHasABroker() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        HalfOpenLink link = new HalfOpenLink(broker.url())) {
      TestCluster cluster = new TestCluster("all-lost", broker, 2);
      try (TestNode first = start(over(link, cluster.config(0)));
          TestNode second = start(over(link, cluster.config(1)));
          RawWebSocket client = enter(second, FOLLOWS)) {
        eventually(() -> first.metric(UP) == 2 && second.metric(UP) == 2);
        link.cut();
        client.await("stale");
        eventually(() -> first.metric(UP) == 0 && second.metric(UP) == 0);
        Callable<Boolean> toldNobody = () -> second.metric(TOLD) == 0;
        await().during(Duration.ofSeconds(4)).atMost(LONG).until(toldNobody);
        try (RawWebSocket comes = enter(second, FOLLOWS)) {
          comes.await("stale");
        }
      }
    }
  }

  @Tag("full")
  @Test
  void shouldKeepItsClientsIfItIsSwitchedOff() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        HalfOpenLink link = new HalfOpenLink(broker.url())) {
      TestCluster cluster = new TestCluster("stay", broker, 2);
      Config stays =
          over(link, cluster.config(1))
              .with(ClusterSettings.BALANCE_BROKER_LOSS_AFTER, Duration.ZERO);
      try (TestNode first = start(cluster.config(0));
          TestNode second = start(stays);
          RawWebSocket client = enter(second, FOLLOWS)) {
        eventually(() -> first.metric(UP) == 2 && second.metric(UP) == 2);
        link.cut();
        client.await("stale");
        Callable<Boolean> toldNobody = () -> second.metric(TOLD) == 0;
        await().during(Duration.ofSeconds(4)).atMost(LONG).until(toldNobody);
      }
    }
  }
}
