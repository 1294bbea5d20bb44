package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that is stopped while clients are connected. */
final class DrainIT {
  private static final int CLIENTS = 200;
  private static final Duration LONGER_THAN_A_TEST = Duration.ofMinutes(10);

  private static Config config(TestBroker broker, Duration drain) {
    return TestNode.config("artemis", broker.url()).with(TimeoutSettings.DRAIN, drain);
  }

  private static TestNode node(TestBroker broker, Duration drain) {
    return TestNode.start(config(broker, drain));
  }

  private static CompletableFuture<Void> drainAndStop(TestNode node) {
    return CompletableFuture.runAsync(() -> node.gateway().drainAndStop());
  }

  @Test
  void shouldNotifyItsClientsAndCloseThemOneByOne() throws Exception {
    List<RawWebSocket> clients = new ArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = node(broker, Duration.ofSeconds(2))) {
      for (int i = 0; i < CLIENTS; i++) {
        RawWebSocket client = node.json();
        clients.add(client);
        client.subscribe(1, "drain");
      }
      CompletableFuture<Void> stopped = drainAndStop(node);
      for (RawWebSocket client : clients) {
        long deadline = client.await("draining").get("deadline").asLong();
        assertThat(deadline).isGreaterThan(System.currentTimeMillis() - 60_000);
        assertThat(client.awaitClose()).isEqualTo(4100);
        client.close();
      }
      stopped.get(60, TimeUnit.SECONDS);
    } finally {
      clients.forEach(RawWebSocket::close);
    }
  }

  @Tag("full")
  @Test
  void shouldRefuseNewClientsAndNotBeReadyWhileItDrains() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                config(broker, Duration.ofSeconds(2))
                    .with(TimeoutSettings.CLOSE, Duration.ofSeconds(30)));
        RawWebSocket last = node.json()) {
      last.subscribe(1, "drain");
      CompletableFuture<Void> stopped = drainAndStop(node);
      last.await("draining");
      assertThat(node.admin("/health/ready").body()).contains("draining");
      try (RawWebSocket late = node.request().attempt()) {
        assertThat(late.status()).isEqualTo(503);
      }
      assertThat(last.awaitClose()).isEqualTo(4100);
      last.sendClose(4100, "");
      stopped.get(60, TimeUnit.SECONDS);
    }
  }

  @Tag("full")
  @Test
  void shouldServeNotifiedClientsAndStopWhenTheyHaveMoved() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = node(broker, LONGER_THAN_A_TEST);
        RawWebSocket first = node.json();
        RawWebSocket second = node.json()) {
      first.subscribe(1, "drain");
      CompletableFuture<Void> stopped = drainAndStop(node);
      first.await("draining");
      second.text("{\"type\":\"connect\"}"); // its first frame; the notification follows
      second.await("draining");
      second.publish(2, "drain", "continues");
      assertThat(first.await("message").get("payload").asText()).isEqualTo("continues");
      assertThat(node.metric("sluice_drain_clients_total{outcome=\"notified\"}")).isEqualTo(2);

      leave(first);
      leave(second);
      stopped.get(60, TimeUnit.SECONDS);
    }
  }

  private static void leave(RawWebSocket client) {
    client.sendClose(1000, "");
    assertThat(client.awaitClose()).isEqualTo(1000);
    client.close();
  }

  @Tag("full")
  @Test
  void shouldServeClientsAgainAfterTheEndOfADrain() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = node(broker, Duration.ofSeconds(2));
        RawWebSocket stays = node.json()) {
      node.awaitReady();
      stays.subscribe(1, "drain");
      node.command("/drain");
      stays.await("draining");

      HttpResponse<String> answer = node.command("/undrain");

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body())
          .isEqualTo("{\"node\":\"test-node\",\"state\":\"up\",\"connections\":1}");
      node.awaitReady();
      try (RawWebSocket comes = node.json()) {
        comes.subscribe(1, "drain");
        awaitEndOfFormerDrain();
        stays.text("{\"type\":\"ping\",\"ref\":2}");
        stays.await("pong");
        assertThat(node.command("/undrain").statusCode()).as("again").isEqualTo(200);

        node.command("/drain");
        for (RawWebSocket client : List.of(stays, comes)) {
          client.await("draining");
          assertThat(client.awaitClose()).isEqualTo(4100);
        }
      }
    }
  }

  /** Waits until the drain would have closed all clients. */
  private static void awaitEndOfFormerDrain() {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
    await().until(() -> System.nanoTime() - endNs > 0);
  }

  @Tag("full")
  @Test
  void shouldNotEndTheDrainOfAStoppingNode() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = node(broker, LONGER_THAN_A_TEST);
        RawWebSocket client = node.json()) {
      client.subscribe(1, "drain");
      CompletableFuture<Void> stopped = drainAndStop(node);
      client.await("draining");

      assertThat(node.command("/undrain").statusCode()).isEqualTo(409);

      client.sendClose(1000, "");
      stopped.get(60, TimeUnit.SECONDS);
    }
  }
}
