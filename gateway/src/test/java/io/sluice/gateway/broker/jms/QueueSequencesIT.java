package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.jms.QueueScene.Client;
import io.sluice.gateway.protocol.queue.Settlement;
import io.sluice.testkit.TestBroker;
import jakarta.jms.ConnectionFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random sequences of credit, settlements and closings of several consumers of one queue at a real
 * broker. Paused consumers keep no message: another one receives all that is not settled.
 */
@Timeout(240)
final class QueueSequencesIT {
  private static final String QUEUE = "orders";
  private static final int CONSUMERS = 6;
  private static final int MESSAGES = 300;
  private static final int STEPS = 2_000;

  private TestBroker server;
  private QueueScene scene;
  private Random random;

  /** Messages whose acknowledgement or rejection the broker has stored. */
  private final Set<String> settled = new TreeSet<>();

  private final List<Consumer> consumers = new ArrayList<>();

  /** Consumer and the messages that it has received and not settled. */
  private final class Consumer {
    private final Map<Long, String> pending = new HashMap<>();
    private final Map<String, CompletableFuture<String>> results = new HashMap<>();
    private Client client = scene.consume(QUEUE, 1);

    void step() throws Exception {
      switch (random.nextInt(8)) {
        case 0 -> client.consumer().credit(random.nextInt(4));
        case 1 -> {
          settle(Settlement.ACK);
          client.consumer().credit(0);
        }
        case 2, 3 -> settle(Settlement.ACK);
        case 4 -> settle(Settlement.RELEASE);
        case 5 -> settle(Settlement.REJECT);
        case 6 -> {
          if (random.nextInt(20) == 0) {
            client.consumer().close();
            end();
            client = scene.consume(QUEUE, 1);
          }
        }
        default -> receive();
      }
    }

    private void receive() {
      for (String event = client.next(1); event != null; event = client.next(1)) {
        String text = event.substring(0, event.indexOf('#'));
        assertThat(settled).as("delivered after its settlement").doesNotContain(text);
        pending.put(Long.parseLong(event.replaceAll(".*#(\\d+).*", "$1")), text);
      }
    }

    private void settle(Settlement how) throws Exception {
      receive();
      if (!pending.isEmpty()) {
        long tag = pending.keySet().iterator().next();
        String text = pending.remove(tag);
        CompletableFuture<String> result = client.settleLater(how, tag, false);
        if (how != Settlement.RELEASE) {
          results.put(text, result);
        }
      }
    }

    /** Waits for the results. */
    void end() throws Exception {
      for (Map.Entry<String, CompletableFuture<String>> each : results.entrySet()) {
        if (each.getValue().get().equals(QueueScene.SETTLED)) {
          settled.add(each.getKey());
        }
      }
      results.clear();
      pending.clear();
    }
  }

  @AfterEach
  void close() {
    scene.close();
    server.close();
  }

  private ConnectionFactory factory() {
    return server.provider().equals("classic")
        ? new org.apache.activemq.ActiveMQConnectionFactory(server.url())
        : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(server.url());
  }

  @ParameterizedTest
  @CsvSource({"artemis, 1", "artemis, 2", "classic, 1", "classic, 2"})
  void shouldKeepNoMessageAtPausedConsumers(String provider, int seed) throws Exception {
    server = TestBroker.start(provider);
    scene = new QueueScene(PublishScene.config(provider, server.url()));
    random = new Random(seed);
    List<String> messages = IntStream.range(0, MESSAGES).mapToObj(n -> "m" + n).toList();
    QueueScene.sendAll(factory(), QUEUE, messages);
    IntStream.range(0, CONSUMERS).forEach(any -> consumers.add(new Consumer()));
    for (int i = 0; i < STEPS && settled.size() < MESSAGES / 2; i++) {
      consumers.get(random.nextInt(CONSUMERS)).step();
    }

    for (Consumer each : consumers) { // all remain open
      each.client.consumer().credit(0);
      each.receive();
      for (long tag : List.copyOf(each.pending.keySet())) {
        each.client.settleLater(Settlement.RELEASE, tag, false);
      }
      each.end();
    }
    Client last = scene.consume(QUEUE, 10);
    while (settled.size() < MESSAGES) {
      String event = last.next();
      assertThat(event).as("%d of %d settled", settled.size(), MESSAGES).isNotNull();
      long tag = Long.parseLong(event.replaceAll(".*#(\\d+).*", "$1"));
      if (last.settle(Settlement.ACK, tag).equals(QueueScene.SETTLED)) {
        assertThat(settled.add(event.substring(0, event.indexOf('#')))).as(event).isTrue();
      }
    }
  }
}
