package io.sluice.gateway.broker.jms;

import static io.sluice.gateway.broker.jms.QueueScene.LONG_S;
import static io.sluice.gateway.broker.jms.QueueScene.SETTLED;
import static io.sluice.gateway.protocol.Settlement.ACK;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.EachBroker;
import io.sluice.gateway.broker.jms.QueueScene.Client;
import io.sluice.testkit.BrokerProcess;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Consumers of a queue whose broker is killed, with settlements on their way. */
@Timeout(180)
final class QueueLossIT {
  private static final int MESSAGES = 400;
  private static final int KILLS = 2;

  @TempDir private Path data;

  /** Settlement on its way to the broker. */
  private record Settling(String message, CompletableFuture<String> result) {}

  private final Map<String, Integer> deliveries = new HashMap<>();
  private final Set<String> settled = new HashSet<>();

  private final List<Settling> onTheWay = new ArrayList<>();

  /** Settlements of unknown outcome: the broker may have stored them. */
  private final Set<String> unknown = new HashSet<>();

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldLoseNoMessageAndMarkEachDuplicate(String provider) throws Exception {
    try (BrokerProcess server = BrokerProcess.start(provider, data);
        QueueScene scene = new QueueScene(PublishScene.config(provider, server.url()))) {
      QueueScene.sendAll(
          factory(provider, server.url()),
          "orders",
          IntStream.range(0, MESSAGES).mapToObj(n -> "m" + n).toList());
      List<Client> clients =
          IntStream.range(0, 4).mapToObj(any -> scene.consume("orders", 3)).toList();

      for (int kill = 1; kill <= KILLS; kill++) {
        receive(clients, kill * MESSAGES / (KILLS + 1));
        server.kill();
        server.restart();
      }
      while (scene.meters().pending() > 0
          || !scene.browse("orders", null, 1).equals(List.of("0"))) {
        receive(clients); // also messages whose settlement was lost
      }
      assertThat(deliveries).hasSize(MESSAGES);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldMarkTheDuplicatesOfANodeThatWasKilledWithItsBroker(String provider) throws Exception {
    try (BrokerProcess server = BrokerProcess.start(provider, data)) {
      QueueScene.send(factory(provider, server.url()), "orders", "a", "b");
      try (QueueScene first = new QueueScene(PublishScene.config(provider, server.url()))) {
        assertThat(first.consume("orders", 1).next()).startsWith("a#");
        server.kill();
      }
      server.restart();
      try (QueueScene second = new QueueScene(PublishScene.config(provider, server.url()))) {
        Client client = second.consume("orders", 2);
        assertThat(client.isMarked(client.next())).as("the duplicate").isTrue();
        assertThat(client.isMarked(client.next())).as("a message of the same time").isTrue();
      }
    }
  }

  private static ConnectionFactory factory(String provider, String url) {
    return provider.equals("classic")
        ? new org.apache.activemq.ActiveMQConnectionFactory(url)
        : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(url);
  }

  /** Receives and acknowledges until a number of messages is done. */
  private void receive(List<Client> clients, int done) {
    long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG_S);
    while (settled.size() + unknown.size() < done) {
      assertThat(System.nanoTime()).as("all messages arrive in time").isLessThan(untilNs);
      receive(clients);
    }
  }

  private void receive(List<Client> clients) {
    for (Client client : clients) {
      String event = client.next(1);
      if (event != null && event.contains("#")) {
        onTheWay.add(acknowledge(client, event));
      }
    }
    onTheWay.removeIf(this::isDone);
  }

  private Settling acknowledge(Client client, String event) {
    String message = event.substring(0, event.indexOf('#'));
    assertThat(settled).as("no settled message is delivered again").doesNotContain(message);
    unknown.remove(message);
    int before = deliveries.merge(message, 1, Integer::sum) - 1;
    assertThat(before > 0 && !client.isMarked(event)).as("unmarked duplicate: " + event).isFalse();
    String tag = event.substring(event.indexOf('#') + 1).replace(" again", "");
    return new Settling(message, client.settleLater(ACK, Long.parseLong(tag), false));
  }

  private boolean isDone(Settling settling) {
    String result = settling.result.getNow("");
    if (result.equals(SETTLED)) {
      settled.add(settling.message);
    } else if (!result.isEmpty()) {
      unknown.add(settling.message);
    }
    return !result.isEmpty();
  }
}
