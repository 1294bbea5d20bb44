package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

/** A broker that is killed under load and comes back. */
final class BrokerLossIT {
  private static final int CLIENTS = 50;

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldKeepAndNotifyClientsAndServeThemAgain(String provider) throws Exception {
    List<RawWebSocket> clients = new ArrayList<>();
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(TestNode.config(provider, broker.url()))) {
      for (int i = 0; i < CLIENTS; i++) {
        RawWebSocket client = node.json();
        clients.add(client);
        client.subscribe(1, "loss." + i % 5);
      }
      try (Load before = new Load(broker)) {
        before.start();
        clients.forEach(client -> client.await("message"));
        broker.kill();
      }
      clients.forEach(client -> client.await("stale"));
      assertThat(node.admin("/health/ready").statusCode()).isEqualTo(503);
      assertThat(node.admin("/health/live").statusCode()).isEqualTo(200);
      checkClientsThatComeMeanwhile(node, broker);

      for (RawWebSocket client : clients) {
        JsonNode gap = client.await("gap");
        assertThat(gap.get("reason").asText()).isEqualTo("broker-lost");
        client.await("live");
      }
      try (Load after = new Load(broker)) {
        after.start();
        clients.forEach(client -> client.await("message"));
      }
      node.awaitReady();
      assertThat(node.gateway().connections()).isEqualTo(CLIENTS);
    } finally {
      clients.forEach(RawWebSocket::close);
    }
  }

  private static void checkClientsThatComeMeanwhile(TestNode node, TestBroker broker)
      throws Exception {
    try (RawWebSocket known = node.json();
        RawWebSocket unknown = node.json()) {
      known.text("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"loss.1\"}");
      unknown.text("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"loss.new\"}");
      assertThat(known.readJson().get("broker").asText()).isEqualTo("down");
      assertThat(known.readJson().get("type").asText()).isEqualTo("stale");
      unknown.await("stale");
      known.text("{\"type\":\"publish\",\"ref\":2,\"topic\":\"x\",\"payload\":\"\"}");
      assertThat(known.await("error").get("code").asText()).isEqualTo("broker-unavailable");

      broker.restart();
      assertThat(known.await("subscribed").get("topic").asText()).isEqualTo("loss.1");
      unknown.await("subscribed");
      await().until(() -> node.metric("sluice_broker_connected{source=\"jms\"}") == 1);
      try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
        publisher.text("loss.new", "first");
      }
      assertThat(unknown.await("message").get("payload").asText()).isEqualTo("first");
    }
  }

  /** Publishes until it is closed or the broker is gone. */
  private static final class Load implements AutoCloseable {
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread thread;

    Load(TestBroker broker) throws JMSException {
      TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
      thread = new Thread(() -> run(publisher));
    }

    void start() {
      thread.start();
    }

    private void run(TestPublisher publisher) {
      try (publisher) {
        for (int i = 0; !stopped.get(); i++) {
          publisher.text("loss." + i % 5, "load " + i);
          Thread.yield();
        }
      } catch (JMSException e) {
        stopped.set(true); // the broker was killed under it, as intended
      }
    }

    @Override
    public void close() {
      stopped.set(true);
      await().atMost(Duration.ofSeconds(60)).until(() -> !thread.isAlive());
    }
  }
}
