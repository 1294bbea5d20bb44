package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Start;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channel numbers of patterns whose topics change. */
final class PatternChannelsTest {
  private static final int CHANNELS = 64;
  private static final int MANY = 3_000;
  private static final long MEMORY = 1 << 20;
  private static final Delivery LATEST = new Delivery(true, 0);
  private static final Config CONFIG =
      Config.defaults()
          .with(LimitSettings.CHANNELS, CHANNELS)
          .with(HistorySettings.MESSAGES, 8)
          .with(HistorySettings.KEYS, 8);

  private HubFixture node;

  /** A client that reads all, on the first loop. */
  private RecordingClient json;

  private int published;

  private void start(Config config) {
    node = new HubFixture(2, config);
    node.hub.start();
    node.broker.connect();
    json = client(0, Encoding.JSON);
    json.subscribe("orders.>");
    node.settle();
  }

  @AfterEach
  void close() {
    node.assertNothingLeaked();
    node.close();
  }

  private RecordingClient client(int loop, Encoding encoding) {
    return new RecordingClient(node.shards.get(loop), encoding);
  }

  private RecordingClient subscribed(int loop, Start start, Delivery delivery) {
    RecordingClient client = client(loop, Encoding.BINARY);
    client.subscribe("orders.>", start, delivery);
    node.settle();
    return client;
  }

  /** Publishes one message each to topics that had none before. */
  private void publish(int topics) {
    for (int i = 0; i < topics; i++) {
      publishOne();
      node.settle();
    }
  }

  private void publishOne() {
    published++;
    node.broker.publish("orders." + published);
  }

  private void nextSecond() {
    node.control.fireTimers();
    node.pass(1_000);
  }

  /** The channel of each message named the topic that clients with JSON read in the message. */
  private void assertRightTopics(RecordingClient client) {
    List<String> messages =
        client.events.stream().filter(event -> event.startsWith("orders.")).toList();
    assertThat(messages).isNotEmpty();
    assertThat(new HashSet<>(json.events).containsAll(messages)).isTrue();
  }

  private static void assertNoGap(RecordingClient client) {
    assertThat(client.events).noneMatch(event -> event.startsWith("gap"));
  }

  @Test
  void shouldReuseNumbersWhileClientsAreSubscribed() {
    start(CONFIG);
    RecordingClient binary = subscribed(1, Start.NOW, Delivery.ALL);
    publish(MANY);

    assertNoGap(binary);
    assertNoGap(json);
    assertRightTopics(binary);
    assertThat(binary.isCurrent("orders.>", "orders." + MANY, 1)).isTrue();
  }

  @Test
  void shouldReleaseAllNumbersOfClosedPattern() {
    start(CONFIG);
    RecordingClient client = subscribed(0, Start.NOW, Delivery.ALL);
    publish(MANY);
    client.leave();
    json.leave();
    node.settle();
    nextSecond();

    RecordingClient other = client(0, Encoding.BINARY);
    for (int i = 0; i < CHANNELS; i++) {
      other.subscribe("single." + i);
    }
    node.settle();
    assertThat(other.events).noneMatch(event -> event.startsWith("refused"));
    other.subscribe("one.more");
    node.settle();
    assertThat(other.events).filteredOn(event -> event.startsWith("refused")).hasSize(1);
  }

  @Test
  void shouldNotReuseNumberBeforeEachLoopHasConfirmed() {
    start(CONFIG);
    RecordingClient late = subscribed(1, Start.NOW, Delivery.ALL);
    for (int i = 0; i < CHANNELS; i++) {
      publishOne();
      node.loops.get(0).runAll();
    }
    assertNoGap(json);
    publishOne();
    node.settle();
    assertThat(node.dropped("too-many-channels")).isEqualTo(1);
    assertRightTopics(late);

    publish(MANY);
    assertThat(node.dropped("too-many-channels")).isEqualTo(1);
    assertRightTopics(late);
  }

  @Test
  void shouldRetainNumberOfMessageQueuedForSlowClient() {
    start(CONFIG.with(HistorySettings.KEYS, CHANNELS - 16));
    RecordingClient slow = subscribed(0, Start.NOW, LATEST);
    publish(CHANNELS);
    assertNoGap(json);
    slow.room = 0;
    publish(CHANNELS - 16);
    assertThat(node.dropped("too-many-channels")).as("the slow client keeps them").isPositive();

    slow.room = Long.MAX_VALUE;
    node.pass(10);
    assertRightTopics(slow);
    assertThat(slow.events).contains("orders." + (CHANNELS + 1) + "=1@" + (CHANNELS + 1));

    nextSecond();
    double dropped = node.dropped("too-many-channels");
    publish(MANY);
    assertThat(node.dropped("too-many-channels")).isEqualTo(dropped);
    assertRightTopics(slow);
  }

  @Test
  void shouldRetainNumbersOfUnfinishedSnapshot() {
    start(
        CONFIG
            .with(HistorySettings.KEYS, 10_000)
            .with(HistorySettings.MEMORY, MEMORY)
            .with(LimitSettings.CHANNELS, 5_000));
    publish(4_000);
    RecordingClient slow = client(0, Encoding.BINARY);
    slow.room = 0;
    slow.subscribe("orders.>", Start.SNAPSHOT, Delivery.ALL);
    node.settle();
    assertThat(slow.admissions.get("orders.>").replay()).isBetween(1_000, 3_999);
    assertNoGap(json);
    publish(4_000);

    slow.room = Long.MAX_VALUE;
    node.pass(10);
    assertRightTopics(slow);
    nextSecond();
    double dropped = node.dropped("too-many-channels");
    publish(8_000);
    assertThat(dropped).as("the slow client keeps numbers").isPositive();
    assertThat(node.dropped("too-many-channels")).isEqualTo(dropped);
    assertRightTopics(slow);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldReportAGapToAClientThatHoldsNumbersForTooLong(boolean latest) {
    start(CONFIG.with(HistorySettings.KEYS, CHANNELS - 16));
    publish(CHANNELS - 20);
    RecordingClient stuck = client(0, Encoding.BINARY);
    stuck.room = 0;
    stuck.subscribe("orders.>", Start.SNAPSHOT, new Delivery(latest, 0));
    node.settle();
    publish(CHANNELS);
    assertThat(node.dropped("too-many-channels")).as("the client keeps numbers").isPositive();
    // Channels that became idle in the meantime are retired after the first batch.
    for (int i = 0; i < 3 * Retirement.MAX_REFUSALS; i++) {
      nextSecond();
    }
    double dropped = node.dropped("too-many-channels");
    publish(8);
    assertThat(node.dropped("too-many-channels")).isEqualTo(dropped);

    stuck.room = Long.MAX_VALUE;
    node.pass(10);
    assertThat(stuck.events).contains("gap orders.> overload");
    publish(1);
    assertThat(stuck.isCurrent("orders.>", "orders." + published, 1)).isTrue();
    assertRightTopics(stuck);
  }

  @Test
  void shouldServeCatchUpWhileTopicsChange() {
    start(CONFIG);
    for (int round = 0; round < 200; round++) {
      publish(5);
      RecordingClient behind = client(round % 2, Encoding.BINARY);
      behind.room = round % 3 == 0 ? 0 : Long.MAX_VALUE;
      behind.subscribe(
          "orders.>", round % 5 == 0 ? Start.SNAPSHOT : new Start.Last(4), delivery(round));
      node.settle();
      publish(3);
      behind.room = Long.MAX_VALUE;
      node.pass(10);
      publish(2);
      assertRightTopics(behind);
      behind.leave();
      nextSecond();
    }
    assertNoGap(json);
  }

  private static Delivery delivery(int round) {
    return round % 2 == 0 ? Delivery.ALL : LATEST;
  }

  @Test
  void shouldAnnounceReturningTopicAgain() {
    start(CONFIG);
    RecordingClient client = subscribed(0, Start.NOW, Delivery.ALL);
    for (int round = 1; round <= 20; round++) {
      node.broker.publish("orders.again");
      node.settle();
      for (int i = 0; i < CHANNELS; i++) {
        publishOne();
        node.settle();
      }
      assertThat(client.isCurrent("orders.>", "orders.again", round)).isTrue();
    }
    assertNoGap(client);
  }

  @Test
  void shouldReassignNumberWithinConnection() {
    start(CONFIG);
    RecordingClient client = subscribed(0, Start.NOW, Delivery.ALL);
    publish(MANY);
    for (int i = 0; i < 16; i++) {
      client.subscribe("single." + i);
      node.settle();
      node.broker.publish("single." + i);
      publish(5);
      node.broker.publish("single." + i);
      node.settle();
      assertThat(client.isCurrent("single." + i, "single." + i, 2)).isTrue();
    }
    assertNoGap(client);
  }
}
