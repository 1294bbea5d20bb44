package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.BrokerProcess;
import io.sluice.testkit.NodeProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Node with a durable pattern, its persistent broker, and SDK clients that receive numbered
 * messages. Bound to the test's thread.
 */
final class DurableScene implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofMinutes(2);

  private static final int CLIENTS = 10;
  private static final String PATTERN = "orders.>";
  private static final List<String> TOPICS =
      IntStream.range(0, 10).mapToObj(i -> "orders." + i).toList();

  private static final int SOME = 3;
  private static final int MANY = 15;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final BrokerProcess broker;
  private final NodeProcess node;
  private final Readers readers;
  private final Numbers numbers;

  private DurableScene(BrokerProcess broker, NodeProcess node) throws IOException {
    this.broker = broker;
    this.node = node;
    this.readers = new Readers(node.address(), CLIENTS, TOPICS, pattern(broker.provider()));
    try {
      readers.await("all are there", readers::areThere);
      this.numbers =
          Numbers.persistent(broker.provider(), broker.url(), TOPICS, Duration.ofMillis(20));
    } catch (AssertionError e) {
      readers.close();
      throw e;
    }
  }

  // Classic delivers retained messages in another order of topics: a pattern receives a gap.
  private static String pattern(String provider) {
    return provider.equals("artemis") ? PATTERN : "";
  }

  /**
   * Starts all parts, and returns when all clients receive messages.
   *
   * @param folder folder for the broker's data and the configuration
   * @param journal the node's journal folder
   */
  static DurableScene start(String provider, Path folder, Path journal) throws IOException {
    BrokerProcess broker = BrokerProcess.start(provider, folder.resolve("broker"));
    NodeProcess node = null;
    try {
      node = startNode(broker, folder, journal);
      DurableScene scene = new DurableScene(broker, node);
      scene.hearMore();
      return scene;
    } catch (AssertionError e) {
      if (node != null) {
        node.close();
      }
      broker.close();
      throw e;
    }
  }

  private static NodeProcess startNode(BrokerProcess broker, Path folder, Path journal) {
    return NodeProcess.start(
        folder,
        """
        broker:
          provider: %s
          url: "%s"
          client-id: durable
          durable: [%s]
        journal.folder: %s
        timeouts.ping: 1s
        resume.margin: 1s
        """
            .formatted(broker.provider(), broker.url(), PATTERN, journal),
        TunedNode.watchful());
  }

  BrokerProcess broker() {
    return broker;
  }

  NodeProcess node() {
    return node;
  }

  Random random() {
    return random;
  }

  /** Waits until all clients have received a new message of each topic. */
  void hearMore() {
    List<Long> next = numbers.accepted().stream().map(number -> number + SOME).toList();
    readers.await("all receive more, seed " + seed, report -> Readers.haveAll(report, next));
  }

  /** Returns after a while of chance, when messages are under way. */
  void goOn() {
    awaitTaken(random.nextInt(MANY));
  }

  /** Returns when the broker has taken some more messages of each topic. */
  void awaitTaken(int more) {
    List<Long> before = numbers.accepted();
    await("the broker takes messages, seed " + seed)
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> numbers.accepted().get(0) >= before.get(0) + more);
  }

  /** Asserts that all clients received each message once and in order, or a gap. */
  JsonNode end() {
    List<Long> last = numbers.stop();
    return readers.await(
        "all have the last of %s, seed %d".formatted(last, seed),
        report -> Readers.haveAll(report, last));
  }

  /** Asserts that all clients received each message once and in order, without a gap. */
  void endWithoutGap() {
    assertThat(end().get("gaps")).as("seed %d", seed).isEmpty();
  }

  @Override
  public void close() {
    numbers.close();
    readers.close();
    node.close();
    broker.close();
  }
}
