package io.sluice.gateway;

import static io.sluice.gateway.TestCluster.awaitReady;
import static io.sluice.gateway.TestCluster.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.membership.Member;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.LoggedEvents;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Cluster of nodes with one broker. */
@Isolated("observes the whole process")
final class ClusterIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String FOLLOWS = "{\"type\":\"connect\",\"redirect\":true}";
  private static final String UP = "sluice_cluster_nodes{state=\"up\"}";
  private static final String DRAINING = "sluice_cluster_nodes{state=\"draining\"}";

  @Tag("full")
  @Test
  void shouldReportNodesThatJoinAndLeave() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("come", broker, 3);
      try (TestNode first = start(cluster.config(0));
          TestNode second = start(cluster.config(1))) {
        try (TestNode third = start(cluster.config(2))) {
          for (TestNode node : List.of(first, second, third)) {
            await().atMost(LONG).until(() -> node.metric(UP) == 3);
          }
        }
        await().atMost(LONG).until(() -> first.metric(UP) == 2 && second.metric(UP) == 2);
      }
    }
  }

  @Tag("full")
  @Test
  void shouldBeReadyOnlyAfterPreSubscription() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("warm", broker, 2);
      try (TestNode first = start(cluster.config(0))) {
        try (RawWebSocket client = first.json()) {
          client.subscribe(1, "prices.a");
          client.subscribe(2, "prices.b");
          await().until(() -> first.gateway().topicsInUse().size() == 2);
          try (TestNode second = TestNode.start(cluster.config(1))) {
            assertThat(second.admin("/health/ready").body()).contains("cluster: joining");
            awaitReady(second);
            assertThat(second.metric("sluice_interests")).isEqualTo(2);
          }
        }
      }
    }
  }

  @Tag("full")
  @Test
  void shouldPreSubscribeLateIfItFirstFoundNoNode() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("late", broker, 2);
      List<String> itself = List.of("127.0.0.1:" + cluster.port(1));
      try (TestNode first = start(cluster.config(0));
          RawWebSocket client = first.json();
          TestNode second = start(cluster.config(1).with(ClusterSettings.NODES, itself))) {
        client.subscribe(1, "prices.a");
        await().atMost(LONG).until(() -> first.metric(UP) == 2); // it looks for the second
        await().atMost(LONG).until(() -> second.metric("sluice_interests") == 1);
      }
    }
  }

  @Tag("full")
  @Test
  void shouldBeReadyOnlyWithLogsSufficientForClientsOfOtherNodes() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("settled", broker, 2);
      // Positions are this old when a loaded machine delays canaries.
      Duration spread = Duration.ofSeconds(5);
      Duration margin = Duration.ofSeconds(1);
      Config config = cluster.config(0).with(TimeoutSettings.PING, Duration.ofMillis(100));
      Config other = cluster.config(1).with(HistorySettings.RESUME_SPREAD, spread);
      try (TestNode first = start(config.with(HistorySettings.RESUME_MARGIN, margin));
          RawWebSocket client = first.json()) {
        JsonNode subscribed = client.subscribe(1, "prices.quiet");
        JsonNode earlier = client.await("caught-up");
        await().until(() -> first.gateway().topicsInUse().size() == 1);
        try (TestNode second = start(other.with(HistorySettings.RESUME_MARGIN, margin));
            RawWebSocket there = second.json()) {
          assertThat(first.command("/drain").statusCode()).isEqualTo(202);
          JsonNode caughtUp = latestCaughtUp(client, earlier);
          long timeMs = caughtUp.get("time").asLong();
          await().atMost(LONG).until(() -> provenMs(second) >= timeMs);
          there.text(
              "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"prices.quiet\",\"from\":"
                  + "{\"epoch\":%s,\"offset\":%s,\"since\":%s,\"time\":%s}}"
                      .formatted(
                          subscribed.get("epoch"),
                          subscribed.get("offset"),
                          subscribed.get("time"),
                          caughtUp.get("time")));
          assertThat(there.await("subscribed").get("recovered").asBoolean()).isTrue();
        }
      }
    }
  }

  /** Returns the latest caught-up time of a client of a node that begins to drain. */
  private static JsonNode latestCaughtUp(RawWebSocket client, JsonNode earlier) {
    JsonNode latest = earlier;
    JsonNode frame = client.readJson();
    while (!frame.get("type").asText().equals("draining")) {
      latest = frame.get("type").asText().equals("caught-up") ? frame : latest;
      frame = client.readJson();
    }
    return latest;
  }

  /** Returns a time before which a node has received all messages of its topics. */
  private static long provenMs(TestNode node) {
    double ageS = node.metric("sluice_broker_proof_age_seconds");
    return Double.isNaN(ageS) ? 0 : System.currentTimeMillis() - (long) Math.ceil(ageS * 1_000);
  }

  @Tag("full")
  @Test
  void shouldReceiveNoRedirectsForAWhileAfterABrokerOutage() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        HalfOpenLink link = new HalfOpenLink(broker.url())) {
      TestCluster cluster = new TestCluster("moment", broker, 2);
      Config linked = cluster.config(1).with(BrokerSettings.URL, link.url());
      try (TestNode first = start(cluster.config(0));
          TestNode second =
              start(linked.with(HistorySettings.RESUME_MARGIN, Duration.ofSeconds(2)))) {
        await().atMost(LONG).until(() -> first.metric(UP) == 2);
        link.cut();
        link.mend();
        await().atMost(LONG).until(() -> first.metric(UP) == 1);
        awaitReady(second);
        await().atMost(LONG).until(() -> first.metric(UP) == 2);
      }
    }
  }

  @Test
  void shouldRedirectClientsOfADrainingNode() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("drain", broker, 2);
      Config slow = cluster.config(0).with(TimeoutSettings.DRAIN, Duration.ofMinutes(10));
      try (TestNode first = start(slow);
          TestNode second = start(cluster.config(1));
          RawWebSocket client = first.json()) {
        client.subscribe(1, "drain");
        await().atMost(LONG).until(() -> first.metric(UP) == 2);
        CompletableFuture<Void> stopped =
            CompletableFuture.runAsync(() -> first.gateway().drainAndStop());

        assertThat(client.await("draining").get("url").asText()).isEqualTo(cluster.url(1));
        await().atMost(LONG).until(() -> second.metric(DRAINING) == 1);
        client.sendClose(1000, "");
        stopped.get(60, TimeUnit.SECONDS);
        await().atMost(LONG).until(() -> second.metric(DRAINING) == 0 && second.metric(UP) == 1);
      }
    }
  }

  @Tag("full")
  @Test
  void shouldShareTheRateOfNodesThatDrainAtOnce() throws Exception {
    int perSecond = 10;
    int clients = 15;
    List<RawWebSocket> all = new ArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("pace", broker, 2);
      try (TestNode first = start(paced(cluster.config(0), perSecond));
          TestNode second = start(paced(cluster.config(1), perSecond))) {
        await().atMost(LONG).until(() -> first.metric(UP) == 2 && second.metric(UP) == 2);
        for (TestNode node : List.of(first, second)) {
          for (int i = 0; i < clients; i++) {
            RawWebSocket client = node.json();
            all.add(client);
            client.subscribe(1, "pace");
          }
        }
        long beganNs = System.nanoTime();
        List<CompletableFuture<Void>> stopped =
            List.of(first, second).stream()
                .map(node -> CompletableFuture.runAsync(() -> node.gateway().drainAndStop()))
                .toList();
        for (RawWebSocket client : all) {
          client.await("draining");
          client.sendClose(1000, "");
        }
        double seconds = (System.nanoTime() - beganNs) / 1e9;

        assertThat(seconds).isGreaterThan(2.0 * clients / perSecond);
        for (CompletableFuture<Void> end : stopped) {
          end.get(60, TimeUnit.SECONDS);
        }
      }
    } finally {
      all.forEach(RawWebSocket::close);
    }
  }

  @Test
  void shouldRedirectNewClientsToTheNodeWithFewerClients() throws Exception {
    List<RawWebSocket> all = new ArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("redirect", broker, 2);
      Config redirects = cluster.config(0).with(ClusterSettings.BALANCE_REDIRECT, true);
      try (TestNode first = start(redirects);
          TestNode second = start(cluster.config(1))) {
        await().atMost(LONG).until(() -> first.metric(UP) == 2 && second.metric(UP) == 2);
        open(all, first, 40, "{\"type\":\"connect\"}");
        await()
            .atMost(LONG)
            .until(
                () -> {
                  try (RawWebSocket client = first.json()) {
                    client.text(FOLLOWS);
                    JsonNode answer = client.readJson();
                    return answer.get("type").asText().equals("redirect")
                        && answer.get("url").asText().equals(cluster.url(1));
                  }
                });
      }
    } finally {
      all.forEach(RawWebSocket::close);
    }
  }

  @Tag("full")
  @Test
  void shouldRedirectConnectedClientsUntilItIsWithinTheTolerance() throws Exception {
    int clients = 40;
    List<RawWebSocket> all = new ArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("rebalance", broker, 2);
      try (TestNode first = start(rebalancing(cluster.config(0)))) {
        await().atMost(LONG).until(() -> first.metric(UP) == 1);
        open(all, first, clients, FOLLOWS);
        // After the clients: with fewer of them the node could reach its tolerance earlier.
        try (TestNode second = start(rebalancing(cluster.config(1)))) {
          // No client follows the redirect, so the node waits for the redirected ones.
          double tooMany = clients - clients / 2.0 * 1.1;
          String redirects = "sluice_redirects_total{cause=\"rebalance\"}";
          await().atMost(LONG).until(() -> first.metric(redirects) == Math.floor(tooMany));
          assertThat(second.metric(redirects)).isZero();
        }
      }
    } finally {
      all.forEach(RawWebSocket::close);
    }
  }

  @Tag("full")
  @Test
  void shouldListTheNodesAndRebalanceOnCommand() throws Exception {
    List<RawWebSocket> all = new ArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("operate", broker, 2);
      try (TestNode first =
              start(cluster.config(0).with(ClusterSettings.BALANCE_COOLDOWN, Duration.ZERO));
          TestNode second = start(cluster.config(1))) {
        await().atMost(LONG).until(() -> first.metric(UP) == 2 && second.metric(UP) == 2);
        open(all, first, 40, FOLLOWS);
        await().atMost(LONG).until(() -> second.admin("/cluster").body().contains(":40,"));

        HttpResponse<String> answer = first.command("/rebalance");
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).doesNotContain("\"moves\":0");
        String redirects = "sluice_redirects_total{cause=\"rebalance\"}";
        await().atMost(LONG).until(() -> first.metric(redirects) > 0);
        assertThat(first.command("/drain").statusCode()).isEqualTo(202);
        all.get(0).await("draining");
        await().atMost(LONG).until(() -> second.metric(DRAINING) == 1);
      }
    } finally {
      all.forEach(RawWebSocket::close);
    }
  }

  private static Config rebalancing(Config config) {
    return config
        .with(ClusterSettings.BALANCE_COOLDOWN, Duration.ZERO)
        .with(ClusterSettings.BALANCE_REBALANCE_RATE, 6_000);
  }

  private static void open(List<RawWebSocket> all, TestNode node, int clients, String connect) {
    for (int i = 0; i < clients; i++) {
      RawWebSocket client = node.json();
      all.add(client);
      client.text(connect);
      client.await("hello");
    }
  }

  private static Config paced(Config config, int perSecond) {
    return config
        .with(TimeoutSettings.DRAIN, Duration.ofMinutes(10))
        .with(TimeoutSettings.DRAIN_RATE, perSecond);
  }

  @Tag("full")
  @Test
  void shouldRunStandaloneIfItCannotJoinTheCluster() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("alone", broker, 1);
      ServerSocket taken = new ServerSocket(cluster.port(0), 1, InetAddress.getByName("127.0.0.1"));
      try (LoggedEvents logged = LoggedEvents.of(Member.class);
          TestNode node = TestNode.start(cluster.config(0));
          RawWebSocket client = node.json()) {
        node.awaitReady();
        client.subscribe(1, "alone");
        assertThat(logged.names()).containsExactly("cluster.not-started");

        taken.close();
        await().atMost(LONG).until(() -> node.metric("sluice_cluster_views_total") == 1);
      } finally {
        taken.close();
      }
    }
  }

  @Tag("full")
  @Test
  void shouldLogNothingWhileNothingChanges() throws Exception {
    Duration report = Duration.ofSeconds(1);
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("silent", broker, 2);
      try (TestNode first = start(cluster.config(0).with(ClusterSettings.REPORT, report));
          TestNode second = start(cluster.config(1).with(ClusterSettings.REPORT, report))) {
        await().atMost(LONG).until(() -> first.metric(UP) == 2 && second.metric(UP) == 2);
        AtomicReference<Double> told = new AtomicReference<>();
        Callable<Boolean> hasToldNothing =
            () -> {
              double now = first.metric("sluice_cluster_messages_out_total");
              return Double.valueOf(now).equals(told.getAndSet(now));
            };
        await().atMost(LONG).during(report.multipliedBy(5)).until(hasToldNothing);
      }
    }
  }
}
