package io.sluice.gateway.rewriting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.rewriting.RewritingFactory.Ids;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Brokers whose JMS client rewrites message headers: a client that moves between two nodes misses
 * nothing and receives nothing twice without notice.
 */
final class RewritingProviderIT {
  private static final String TOPIC = "numbers";
  private static final String UID = "uid";
  private static final int HOPS = 12;
  private static final int MAX_BURST = 9;
  private static final long MARGIN_MS = 100;

  /** Time at a node after which another one can recover the position. */
  private static final long STAY_MS = 4 * MARGIN_MS;

  private static final Duration LONG = Duration.ofMinutes(1);

  private final long seed = Long.getLong("sluice.rewriting.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private int published;

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
        .with(BrokerSettings.LINGER, Duration.ofMinutes(5))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(MARGIN_MS))
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(20));
  }

  private void publish(TestPublisher publisher) throws JMSException {
    for (int left = 1 + random.nextInt(MAX_BURST); left > 0; left--) {
      Message message = publisher.session().createTextMessage(String.valueOf(++published));
      message.setStringProperty(UID, "uid-" + published);
      publisher.send(TOPIC, message);
    }
  }

  /** Moves a client between two nodes while messages arrive, and returns it. */
  private HoppingClient hop(TestBroker broker, TestNode one, TestNode other, String run)
      throws Exception {
    try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
        RawWebSocket here = one.json();
        RawWebSocket there = other.json();
        HoppingClient client = new HoppingClient(TOPIC, run + ", seed " + seed)) {
      here.subscribe(1, TOPIC);
      there.subscribe(1, TOPIC);
      long now = System.currentTimeMillis();
      // Until then a repeated id may be a history of the broker.
      await().atMost(LONG).until(() -> System.currentTimeMillis() > now + STAY_MS);
      for (int hop = 0; hop < HOPS; hop++) {
        client.hop((hop % 2 == 0 ? one : other).json());
        boolean stays = random.nextInt(3) > 0;
        await()
            .atMost(LONG)
            .until(
                () -> {
                  publish(publisher);
                  client.readUntil(published);
                  return !stays || client.sinceStartMs() > STAY_MS;
                });
        publish(publisher);
        client.leave();
        publish(publisher);
        awaitLatest(here);
        awaitLatest(there);
      }
      return client;
    }
  }

  // Both nodes have the latest message.
  private void awaitLatest(RawWebSocket holder) {
    while (holder.await("message").get("payload").asInt() != published) {
      // an earlier one
    }
  }

  private static void awaitIdentity(TestNode node, String state) {
    await()
        .atMost(LONG)
        .until(() -> node.metric("sluice_broker_identity{state=\"" + state + "\"}") == 1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Ids.class,
      names = {"PER_CONSUMER", "PER_FACTORY", "REPEATED", "CONSTANT", "MISSING"})
  void shouldClaimNothingWithoutIdentities(Ids ids) throws Exception {
    try (TestBroker broker = TestBroker.start("classic");
        TestNode one = TestNode.start(config(broker, ids, Map.of()));
        TestNode other = TestNode.start(config(broker, ids, Map.of()))) {
      HoppingClient client = hop(broker, one, other, ids.name());
      assertThat(client.recovered()).isZero();
      awaitIdentity(one, "none");
      assertThat(one.metric("sluice_broker_identity{state=\"verified\"}")).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "KEPT, KEPT",
    "KEPT, PER_CONSUMER",
    "PER_FACTORY, KEPT",
    "KEPT, MIXED",
    "MIXED, MIXED"
  })
  void shouldLoseNothingWithoutNotice(Ids ofOne, Ids ofOther) throws Exception {
    Map<String, String> odd = Map.of("redeliveries", "true");
    try (TestBroker broker = TestBroker.start("classic");
        TestNode one = TestNode.start(config(broker, ofOne, odd));
        TestNode other = TestNode.start(config(broker, ofOther, odd))) {
      if (ofOne == Ids.KEPT && ofOther == Ids.KEPT) {
        awaitIdentity(one, "verified");
        awaitIdentity(other, "verified");
      }
      HoppingClient client = hop(broker, one, other, ofOne + " and " + ofOther);
      if (ofOne == Ids.KEPT && ofOther == Ids.KEPT) {
        assertThat(client.recovered()).as("recovered, seed %d", seed).isPositive();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Ids.class,
      names = {"PER_CONSUMER", "CONSTANT", "MISSING"})
  void shouldRecoverByAProperty(Ids ids) throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode one =
            TestNode.start(
                config(broker, ids, Map.of()).with(BrokerSettings.IDENTITY_PROPERTY, UID));
        TestNode other =
            TestNode.start(
                config(broker, ids, Map.of()).with(BrokerSettings.IDENTITY_PROPERTY, UID))) {
      awaitIdentity(one, "property");
      awaitIdentity(other, "property");
      HoppingClient client = hop(broker, one, other, ids.name());
      assertThat(client.recovered()).as("recovered, seed %d", seed).isPositive();
      assertThat(one.metric("sluice_messages_unidentified_total")).isZero();
    }
  }
}
