package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.drain.RedirectTarget;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Scenarios of a client that makes before break: it moves while messages flow. */
abstract class MovingClientScenes extends ExampleClientScenes {
  private static final String TOPIC = "moves.7";
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  /** Publishes numbers until it is closed. */
  private static final class Numbers implements AutoCloseable {
    private final AtomicInteger last = new AtomicInteger();
    private final CompletableFuture<Void> running;
    private volatile boolean isStopped;

    Numbers(TestPublisher publisher) {
      running =
          CompletableFuture.runAsync(
              () -> {
                while (!isStopped) {
                  publish(publisher, last.incrementAndGet());
                  LockSupport.parkNanos(500_000);
                }
              });
    }

    private static void publish(TestPublisher publisher, int number) {
      try {
        publisher.text(TOPIC, String.valueOf(number));
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    int stop() throws Exception {
      close();
      running.get(1, TimeUnit.MINUTES);
      return last.get();
    }

    @Override
    public void close() {
      isStopped = true;
    }
  }

  private static TestNode node(TestBroker broker) {
    TestNode node =
        TestNode.start(
            TestNode.config("artemis", broker.url())
                .with(BrokerSettings.LINGER, Duration.ofMinutes(5))
                .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
                .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(100)));
    node.awaitReady();
    // The node remains subscribed, and has a log.
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, TOPIC);
    }
    return node;
  }

  private static void await(ExampleClient client, int messages) {
    Awaitility.await().atMost(TIMEOUT).until(() -> received(client) >= messages);
  }

  private static long received(ExampleClient client) {
    return client.entries().stream()
        .filter(entry -> entry.startsWith(ExampleClient.MESSAGE))
        .count();
  }

  private static void awaitClients(TestNode node, int count) {
    Awaitility.await().atMost(TIMEOUT).until(() -> node.metric("sluice_connections") == count);
  }

  private static void redirect(TestNode from, TestNode to) throws Exception {
    from.clients().balance(() -> null, Duration.ZERO);
    RedirectTarget target = new RedirectTarget(url(to), () -> true);
    int selected =
        from.clients()
            .rebalance(1, 10, () -> target)
            .toCompletableFuture()
            .get(1, TimeUnit.MINUTES);
    assertThat(selected).isEqualTo(1);
    awaitClients(to, 1);
    awaitClients(from, 0);
  }

  @Test
  void shouldNeitherMissNorRepeatMessagesWhenItIsRedirectedAndThenDrained() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode one = node(broker);
        TestNode other = node(broker);
        ExampleClient client = start(url(one) + "," + url(other), TOPIC);
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(() -> client.entries().contains(ExampleClient.SUBSCRIBED));
      try (Numbers numbers = new Numbers(publisher)) {
        await(client, 500);
        redirect(one, other);
        await(client, (int) received(client) + 500);
        CompletableFuture<Void> stopped =
            CompletableFuture.runAsync(() -> other.gateway().drainAndStop());
        awaitClients(one, 1);
        stopped.get(1, TimeUnit.MINUTES);
        await(client, (int) received(client) + 500);
        int last = numbers.stop();
        await(client, last);
        assertThat(client.entries()).as("no second SUBSCRIBED: no pause").startsWith("SUBSCRIBED");
        assertThat(client.entries()).filteredOn(ExampleClient.SUBSCRIBED::equals).hasSize(1);
        assertReceivedAll(client, last);
      }
    }
  }
}
