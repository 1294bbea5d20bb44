package io.sluice.gateway.rewriting;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestScope;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.rewriting.RewritingFactory.Ids;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Brokers whose JMS client rewrites message headers: a client that moves between two nodes misses
 * nothing and receives nothing twice without notice.
 */
final class RewritingProviderIT {
  private static final String TOPIC = "numbers";
  private static final int CLIENTS = 3;
  private static final int PUBLISHERS = 2;
  private static final int ROUNDS = 3;
  private static final int HOPS = 4;
  private static final long MARGIN_MS = 100;

  /** Time at a node after which another one can recover the position. */
  private static final long STAY_MS = 4 * MARGIN_MS;

  private static final Duration LONG = Duration.ofMinutes(3);

  private final long seed = Long.getLong("sluice.rewriting.seed", System.nanoTime());
  private final Random random = new Random(seed);

  private Config config(TestBroker broker, Ids ids, Map<String, String> more) {
    Map<String, String> properties = new HashMap<>(more);
    properties.put("provider", broker.provider());
    properties.put("url", broker.url());
    properties.put("seed", String.valueOf(random.nextInt(1 << 20)));
    properties.put("ids", ids.name());
    return TestNode.config("factory", broker.url())
        .with(BrokerSettings.CONNECTION_FACTORY, RewritingFactory.class.getName())
        .with(BrokerSettings.PROPERTIES, properties)
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(50))
        .with(TimeoutSettings.PING, Duration.ofMillis(100)) // also the interval of caught-up
        .with(BrokerSettings.LINGER, Duration.ofMinutes(5))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(MARGIN_MS))
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(20));
  }

  /**
   * Moves clients between two nodes at random while publishers send.
   *
   * @param odd whether some messages have other priorities or delays
   * @param run description for failures
   * @return how often a node recovered a position of the other one
   */
  private int hop(TestBroker broker, TestNode one, TestNode other, boolean odd, String run)
      throws Exception {
    List<TestNode> nodes = List.of(one, other);
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + PUBLISHERS);
    List<HoppingClient> clients = new ArrayList<>();
    try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
        TestPublisher another = new TestPublisher(broker.provider(), broker.url());
        RawWebSocket here = one.json();
        RawWebSocket there = other.json()) {
      List<Numbers> publishers =
          List.of(
              new Numbers(0, publisher, TOPIC, odd, broker.provider(), seed),
              new Numbers(1, another, TOPIC, odd, broker.provider(), seed));
      here.subscribe(1, TOPIC);
      there.subscribe(1, TOPIC);
      long now = System.currentTimeMillis();
      // Until then a repeated id may be a history of the broker.
      await().atMost(LONG).until(() -> System.currentTimeMillis() > now + STAY_MS);
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(new HoppingClient(TOPIC, nodes, publishers, random.nextLong(), STAY_MS));
      }
      for (int round = 0; round < ROUNDS; round++) {
        publishers.forEach(Numbers::begin);
        List<Future<Void>> sending = publishers.stream().map(p -> threads.submit(p::run)).toList();
        List<Callable<Void>> hops = clients.stream().map(RewritingProviderIT::hops).toList();
        List<Future<Void>> hopping = threads.invokeAll(hops, LONG.toMillis(), MILLISECONDS);
        publishers.forEach(Numbers::end);
        for (Future<Void> each : Stream.concat(sending.stream(), hopping.stream()).toList()) {
          each.get();
        }
        clients.forEach(HoppingClient::readAll);
      }
    } catch (ExecutionException | CancellationException | AssertionError e) {
      throw new AssertionError(run + ", -Dsluice.rewriting.seed=" + seed + clients, e);
    } finally {
      clients.forEach(HoppingClient::close);
      threads.shutdownNow();
    }
    return clients.stream().mapToInt(HoppingClient::recovered).sum();
  }

  private static Callable<Void> hops(HoppingClient client) {
    return () -> client.hop(HOPS);
  }

  private static void awaitIdentity(TestNode node, String state) {
    await()
        .atMost(LONG)
        .until(() -> node.metric("sluice_broker_identity{state=\"" + state + "\"}") == 1);
  }

  static Stream<Ids> missing() {
    return TestScope.cases(
        2, Ids.PER_CONSUMER, Ids.REPEATED, Ids.PER_FACTORY, Ids.CONSTANT, Ids.MISSING);
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("missing")
  void shouldClaimNothingWithoutIdentities(Ids ids) throws Exception {
    try (TestBroker broker = TestBroker.start("classic");
        TestNode one = TestNode.start(config(broker, ids, Map.of()));
        TestNode other = TestNode.start(config(broker, ids, Map.of()))) {
      assertThat(hop(broker, one, other, false, ids.name())).isZero();
      awaitIdentity(one, "none");
      assertThat(one.metric("sluice_broker_identity{state=\"verified\"}")).isZero();
    }
  }

  @Tag("full")
  @Test
  void shouldRecoverByIdsOfTheBroker() throws Exception {
    try (TestBroker broker = TestBroker.start("classic");
        TestNode one = TestNode.start(config(broker, Ids.KEPT, Map.of()));
        TestNode other = TestNode.start(config(broker, Ids.KEPT, Map.of()))) {
      awaitIdentity(one, "verified");
      awaitIdentity(other, "verified");
      assertThat(hop(broker, one, other, false, "kept")).as("recovered, %d", seed).isPositive();
    }
  }

  @Test
  void shouldVerifyIdsAgainAfterAReconnect(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("rewrites");
    Map<String, String> properties = Map.of("switch", file.toString());
    try (TestBroker broker = TestBroker.start("classic");
        TestNode node = TestNode.start(config(broker, Ids.PER_CONSUMER, properties))) {
      awaitIdentity(node, "verified");
      Files.createFile(file);
      awaitIdentity(node, "none");
      Files.delete(file);
      broker.kill();
      broker.restart();
      awaitIdentity(node, "verified");
    }
  }

  static Stream<Ids> replaced() {
    return TestScope.cases(1, Ids.PER_CONSUMER, Ids.CONSTANT, Ids.MISSING);
  }

  @ParameterizedTest
  @MethodSource("replaced")
  void shouldRecoverByAProperty(Ids ids) throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode one = TestNode.start(withProperty(config(broker, ids, Map.of())));
        TestNode other = TestNode.start(withProperty(config(broker, ids, Map.of())))) {
      awaitIdentity(one, "property");
      awaitIdentity(other, "property");
      assertThat(hop(broker, one, other, false, ids.name())).as("recovered, %d", seed).isPositive();
      assertThat(one.metric("sluice_messages_unidentified_total")).isZero();
    }
  }

  private static Config withProperty(Config config) {
    return config.with(BrokerSettings.IDENTITY_PROPERTY, Numbers.UID);
  }

  /** Half of the providers keep the ids of the broker. */
  private Ids anyIds() {
    return random.nextBoolean() ? Ids.KEPT : Ids.values()[random.nextInt(Ids.values().length)];
  }

  private Map<String, String> anyOddities(boolean delays) {
    return Map.of(
        "priorities", String.valueOf(random.nextBoolean()),
        "delays", String.valueOf(delays && random.nextInt(4) == 0),
        "redeliveries", String.valueOf(random.nextBoolean()));
  }

  @Tag("full")
  @RepeatedTest(3)
  void shouldLoseNothingWithoutNotice() throws Exception {
    String provider = random.nextBoolean() ? "artemis" : "classic";
    Ids ofOne = anyIds();
    Ids ofOther = anyIds();
    boolean delays = provider.equals("artemis"); // Classic's producers have none
    Map<String, String> odditiesOfOne = anyOddities(delays);
    Map<String, String> odditiesOfOther = anyOddities(delays);
    boolean property = random.nextInt(4) == 0;
    String run =
        List.of(provider, ofOne, odditiesOfOne, ofOther, odditiesOfOther, property).toString();
    try (TestBroker broker = TestBroker.start(provider)) {
      Config configOfOne = config(broker, ofOne, odditiesOfOne);
      Config configOfOther = config(broker, ofOther, odditiesOfOther);
      try (TestNode one = TestNode.start(property ? withProperty(configOfOne) : configOfOne);
          TestNode other = TestNode.start(property ? withProperty(configOfOther) : configOfOther)) {
        hop(broker, one, other, random.nextInt(3) > 0, run);
      }
    }
  }
}
