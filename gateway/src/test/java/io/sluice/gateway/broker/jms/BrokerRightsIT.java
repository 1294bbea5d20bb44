package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.LoggedEvents;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestPublisher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Node whose user at an Artemis has only the permissions that docs/reference/security.md lists, and
 * the effect of each missing one. The broker has Artemis' default configuration, which creates and
 * deletes addresses and queues automatically.
 */
@Timeout(180)
@Isolated("observes the whole process")
final class BrokerRightsIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String CANARIES = "sluice.canary";
  private static final String ORDERS = "orders.>";

  /** Permissions that every address requires. */
  private static final List<String> RIGHTS =
      List.of(
          "consume",
          "send",
          "createNonDurableQueue",
          "deleteNonDurableQueue",
          "createDurableQueue",
          "deleteDurableQueue",
          "createAddress",
          "deleteAddress");

  private static ArtemisProcess broker;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    List<String> options = new ArrayList<>(List.of("--user", "node", "--password", "its password"));
    grant(options, "#", List.of());
    grant(
        options,
        "prices.#",
        List.of(
            "consume",
            "createNonDurableQueue",
            "deleteNonDurableQueue",
            "createAddress",
            "deleteAddress"));
    grant(options, "in.#", List.of("send", "createAddress"));
    grant(
        options,
        "orders.#",
        List.of(
            "consume",
            "createDurableQueue",
            "deleteDurableQueue",
            "createAddress",
            "deleteAddress"));
    grant(options, CANARIES + ".#", RIGHTS);
    for (String right : RIGHTS) {
      List<String> others = RIGHTS.stream().filter(each -> !each.equals(right)).toList();
      grant(options, without(right) + ".#", others);
    }
    broker = ArtemisProcess.start(options.toArray(String[]::new));
  }

  private static void grant(List<String> options, String addresses, List<String> rights) {
    options.addAll(List.of("--grant", addresses + "=" + String.join(",", rights)));
  }

  /** Returns the first level of addresses for which the node lacks only this permission. */
  private static String without(String right) {
    return "without-" + right;
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static Config config() {
    return TestNode.config("artemis", broker.url())
        .with(BrokerSettings.USER, "node")
        .with(BrokerSettings.PASSWORD, "its password")
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100));
  }

  private Config durable(String clientId, String pattern) {
    return config()
        .with(BrokerSettings.CLIENT_ID, clientId)
        .with(BrokerSettings.DURABLE, List.of(pattern))
        .with(HistorySettings.JOURNAL_FOLDER, folder.resolve("journal").toString());
  }

  private static TestNode startReady(Config config) {
    TestNode node = TestNode.start(config);
    node.awaitReady();
    return node;
  }

  private static void awaitProof(TestNode node) {
    await().atMost(LONG).until(() -> node.metric("sluice_broker_proof_age_seconds") >= 0);
  }

  private static String refusal(RawWebSocket client, String type, String topic) {
    client.text(
        "{\"type\":\"%s\",\"ref\":9,\"topic\":\"%s\",\"payload\":\"x\"}".formatted(type, topic));
    return client.await("error").get("code").asText();
  }

  @Test
  void shouldWorkWithTheDocumentedPermissions() throws Exception {
    try (LoggedEvents interests = LoggedEvents.of(JmsBroker.class);
        LoggedEvents canaries = LoggedEvents.of(Canary.class);
        LoggedEvents memory = LoggedEvents.of(DurableSubscriptions.class)) {
      Config config = durable("all", ORDERS);
      try (TestNode node = startReady(config);
          RawWebSocket client = node.json();
          TestPublisher publisher = new TestPublisher("artemis", broker.url()).persistent()) {
        client.subscribe(1, "prices.eur");
        client.subscribe(2, "prices.>");
        publisher.text("prices.eur", "1");
        assertThat(client.payloads(2)).containsExactly("1", "1");
        client.subscribe(3, "orders.7");
        client.subscribe(4, ORDERS);
        publisher.text("orders.7", "2");
        assertThat(client.payloads(2)).containsExactly("2", "2");
        client.publish(5, "in.new", "x");
        awaitProof(node);
        client.text("{\"type\":\"unsubscribe\",\"ref\":6,\"topic\":\"prices.eur\"}");
        client.text("{\"type\":\"unsubscribe\",\"ref\":7,\"topic\":\"prices.>\"}");
        await().atMost(LONG).until(() -> broker.consumers("prices.eur") == 0);
        await().atMost(LONG).until(() -> broker.consumers("prices.#") == 0);
      }
      assertThat(broker.consumers("orders.#")).as("durable subscriptions").isEqualTo(1);
      startReady(config.with(BrokerSettings.DURABLE, List.of())).close();
      assertThat(broker.consumers("orders.#")).as("durable subscriptions").isZero();
      assertThat(interests.names()).as("warnings").isEmpty();
      assertThat(canaries.names()).as("warnings").isEmpty();
      assertThat(memory.names()).as("warnings").isEmpty();
    }
  }

  @Test
  void shouldReceiveNothingWithoutPermissions() {
    try (TestNode node = startReady(config());
        RawWebSocket client = node.json()) {
      assertThat(refusal(client, "subscribe", "other")).isEqualTo("forbidden");
      assertThat(refusal(client, "publish", "other")).isEqualTo("forbidden");
      assertThat(refusal(client, "publish", "prices.eur")).isEqualTo("forbidden");
      assertThat(refusal(client, "subscribe", "in.new")).isEqualTo("forbidden");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"consume", "createNonDurableQueue", "createAddress"})
  void shouldRefuseSubscriptionsWithout(String right) {
    String topic = without(right) + ".topic";
    try (TestNode node = startReady(config());
        RawWebSocket client = node.json()) {
      assertThat(refusal(client, "subscribe", topic)).isEqualTo("forbidden");
      // A queue without a consumer would collect messages.
      assertThat(broker.consumers(topic)).as("queues").isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"send", "createAddress"})
  void shouldRefusePublishesWithout(String right) {
    try (TestNode node = startReady(config());
        RawWebSocket client = node.json()) {
      assertThat(refusal(client, "publish", without(right) + ".topic")).isEqualTo("forbidden");
    }
  }

  @Test
  void shouldLeaveQueuesUntilTheConnectionEndsWithoutPermissionToDelete() {
    String topic = without("deleteNonDurableQueue") + ".topic";
    try (TestNode node = startReady(config());
        RawWebSocket client = node.json()) {
      client.subscribe(1, topic);
      client.text("{\"type\":\"unsubscribe\",\"ref\":2,\"topic\":\"" + topic + "\"}");
      client.await("unsubscribed");
      // The next subscription uses another queue, which shows that the first one was released.
      await()
          .atMost(LONG)
          .untilAsserted(
              () -> {
                client.subscribe(3, topic);
                client.text("{\"type\":\"unsubscribe\",\"ref\":4,\"topic\":\"" + topic + "\"}");
                client.await("unsubscribed");
                assertThat(broker.consumers(topic)).isGreaterThan(1);
              });
    }
    await().atMost(LONG).until(() -> broker.consumers(topic) == 0);
  }

  @Test
  void shouldLeaveAddressesWithoutPermissionToDelete() {
    String topic = without("deleteAddress") + ".topic";
    try (TestNode node = startReady(config());
        RawWebSocket client = node.json()) {
      client.subscribe(1, topic);
      client.text("{\"type\":\"unsubscribe\",\"ref\":2,\"topic\":\"" + topic + "\"}");
      await().atMost(LONG).until(() -> broker.consumers(topic) == 0);
      assertThat(broker.addresses()).contains(topic);
      client.subscribe(3, topic);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"consume", "send", "createNonDurableQueue", "createAddress"})
  void shouldProveNothingByCanariesWithout(String right) {
    try (LoggedEvents canaries = LoggedEvents.of(Canary.class);
        TestNode node = startReady(config().with(BrokerSettings.CANARY_PREFIX, without(right)))) {
      await().atMost(LONG).until(() -> canaries.names().contains("canary.refused"));
      assertThat(node.metric("sluice_broker_proof_age_seconds")).isNaN();
    }
  }

  /** Starts a node of this configuration, which logs the missing permission and keeps running. */
  private static void assertSays(Class<?> source, String event, Config config) {
    try (LoggedEvents logged = LoggedEvents.of(source);
        TestNode node = TestNode.start(config)) {
      await().atMost(LONG).until(() -> logged.names().contains(event));
      assertThat(node.metric("sluice_broker_connected{source=\"jms\"}")).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"consume", "createDurableQueue", "createAddress"})
  void shouldHaveNoDurableSubscriptionWithout(String right) {
    Config config = durable("no-" + right, without(right) + ".>");
    assertSays(JmsBroker.class, "interest.refused", config);
  }

  @ParameterizedTest
  @ValueSource(strings = {"consume", "send", "createDurableQueue", "createAddress"})
  void shouldNotDetectRetainedMessagesWithout(String right) {
    Config config =
        durable("keeps-" + right, "orders.kept.>")
            .with(BrokerSettings.CANARY_PREFIX, without(right));
    assertSays(DurableSubscriptions.class, "durable.failed", config);
  }

  @ParameterizedTest
  @ValueSource(strings = {"deleteDurableQueue", "deleteAddress"})
  void shouldLogThatItCannotRemoveADurableSubscriptionWithout(String right) {
    Config config = durable("stays-" + right, without(right) + ".>");
    startReady(config).close();
    assertSays(
        DurableSubscriptions.class,
        "durable.failed",
        config.with(BrokerSettings.DURABLE, List.of()));
  }
}
