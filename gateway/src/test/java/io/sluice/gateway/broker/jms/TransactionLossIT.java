package io.sluice.gateway.broker.jms;

import static io.sluice.gateway.broker.jms.QueueScene.COMMITTED;
import static io.sluice.gateway.broker.jms.QueueScene.LONG_S;
import static io.sluice.gateway.broker.jms.QueueScene.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.EachBroker;
import io.sluice.gateway.TestScope;
import io.sluice.gateway.broker.jms.QueueScene.Client;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.testkit.BrokerProcess;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Transactions on their way to a broker that is killed several times. */
@Timeout(180)
final class TransactionLossIT {
  private static final int MESSAGES = 400;
  private static final int KILLS = 2;

  @TempDir private Path data;

  private final Map<String, CompletableFuture<String>> onTheWay = new HashMap<>();
  private final Set<String> committed = new HashSet<>();

  private static ConnectionFactory factory(BrokerProcess server) {
    return server.provider().equals("classic")
        ? new org.apache.activemq.ActiveMQConnectionFactory(server.url())
        : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(server.url());
  }

  static Stream<String> clients() {
    return TestScope.cases(1, "artemis", "classic", "plugged");
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("clients")
  void shouldProcessEachMessageExactlyOnce(String client) throws Exception {
    List<String> orders = IntStream.range(0, MESSAGES).mapToObj(n -> "m" + n).toList();
    try (BrokerProcess server = start(client);
        QueueScene scene = new QueueScene(PublishScene.config(client, server.url()))) {
      QueueScene.sendAll(factory(server), "orders", orders);
      List<Client> clients =
          IntStream.range(0, 4).mapToObj(any -> scene.consume("orders", 3)).toList();

      for (int kill = 1; kill <= KILLS; kill++) {
        process(clients, kill * MESSAGES / (KILLS + 1));
        server.kill(); // with transactions on their way
        server.restart();
      }
      while (scene.meters().pending() > 0
          || !scene.browse("orders", null, 1).equals(List.of("0"))) {
        process(clients);
      }

      List<String> fills = QueueScene.drain(factory(server), "fills");
      assertThat(fills).containsExactlyInAnyOrderElementsOf(orders);
      assertThat(QueueScene.drain(factory(server), "audit"))
          .containsExactlyInAnyOrderElementsOf(orders);
      assertThat(committed).isSubsetOf(fills);
    }
  }

  private BrokerProcess start(String client) {
    return BrokerProcess.start(client.equals("plugged") ? "classic" : client, data);
  }

  /** Receives messages until a number of transactions is committed. */
  private void process(List<Client> clients, int done) {
    long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG_S);
    while (committed.size() < done) {
      assertThat(System.nanoTime()).as("all messages arrive in time").isLessThan(untilNs);
      process(clients);
    }
  }

  private void process(List<Client> clients) {
    for (Client client : clients) {
      String event = client.next(1);
      if (event != null && event.contains("#")) {
        String text = event.substring(0, event.indexOf('#'));
        assertThat(committed).as("no message is delivered again").doesNotContain(text);
        String tag = event.substring(event.indexOf('#') + 1).replace(" again", "");
        onTheWay.put(
            text, client.transact(Long.parseLong(tag), text("fills", text), text("audit", text)));
      }
    }
    onTheWay.forEach(
        (text, result) -> {
          if (result.getNow("").equals(COMMITTED)) {
            committed.add(text);
          }
        });
    onTheWay.values().removeIf(CompletableFuture::isDone);
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldPublishAllOrNothing(String client) throws Exception {
    try (BrokerProcess server = start(client);
        QueueScene scene = new QueueScene(PublishScene.config(client, server.url()))) {
      for (int kill = 0; kill < KILLS; kill++) {
        List<CompletableFuture<String>> results = publish(scene, "k" + kill);
        results.get(0).get(LONG_S, TimeUnit.SECONDS);
        server.kill(); // with transactions on their way
        server.restart();
        for (CompletableFuture<String> each : results) {
          each.get(LONG_S, TimeUnit.SECONDS);
        }
        collect();
      }

      List<String> first = QueueScene.drain(factory(server), "first");
      List<String> second = QueueScene.drain(factory(server), "second");
      assertThat(first).doesNotHaveDuplicates().containsAll(committed);
      assertThat(second).containsExactlyInAnyOrderElementsOf(first);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportATransactionThatTheBrokerDoesNotAnswer(String client) throws Exception {
    Duration timeout = Duration.ofSeconds(1);
    try (BrokerProcess server = start(client);
        QueueScene scene =
            new QueueScene(
                PublishScene.config(client, server.url())
                    .with(BrokerSettings.OPEN_TIMEOUT, timeout))) {
      assertThat(scene.publish(text("first", "a")).get(LONG_S, TimeUnit.SECONDS))
          .isEqualTo(COMMITTED);
      server.pause();

      assertThat(scene.publish(text("first", "b")).get(LONG_S, TimeUnit.SECONDS))
          .startsWith("transaction-failed: ");

      server.resume();
      await()
          .atMost(Duration.ofSeconds(LONG_S))
          .until(
              () -> scene.publish(text("first", "c")).get(LONG_S, TimeUnit.SECONDS),
              COMMITTED::equals);
      assertThat(QueueScene.drain(factory(server), "first")).startsWith("a").endsWith("c");
    }
  }

  private List<CompletableFuture<String>> publish(QueueScene scene, String prefix) {
    List<CompletableFuture<String>> results = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      String text = prefix + "-" + i;
      CompletableFuture<String> result = scene.publish(text("first", text), text("second", text));
      onTheWay.put(text, result);
      results.add(result);
    }
    return results;
  }

  private void collect() {
    onTheWay.forEach(
        (text, result) -> {
          if (result.getNow("").equals(COMMITTED)) {
            committed.add(text);
          }
        });
    onTheWay.clear();
  }
}
