package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Site;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.shard.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Start positions of subscriptions, replay, and conflation for slow clients. */
final class ContinuityTest {
  private static final Config CONFIG =
      Config.defaults()
          .with(HistorySettings.MESSAGES, 10)
          .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100))
          .with(HistorySettings.RESUME_MARGIN, Duration.ofSeconds(5))
          .with(HistorySettings.RESUME_OVERLAP, 16);

  /** Most messages that a shard hands over at once. */
  private static final int MESSAGES_AT_ONCE = 128;

  /** Long before anything that is published here. */
  private static final long SINCE = 1;

  /** Age of a log after which positions without a time are resumed at an identity. */
  private static final long UNPROVEN_MS = 15_000;

  private final List<HubFixture> nodes = new ArrayList<>();
  private final HubFixture node = node();

  private HubFixture node() {
    return node(CONFIG);
  }

  private HubFixture node(Config config) {
    HubFixture added = new HubFixture(1, config, 1_000);
    added.broker.connect();
    added.settle();
    nodes.add(added);
    return added;
  }

  @AfterEach
  void close() {
    for (HubFixture each : nodes) {
      each.settle();
      each.assertNothingLeaked();
      each.close();
    }
  }

  private static RecordingClient client(HubFixture at, Encoding encoding) {
    return new RecordingClient(at.shards.get(0), encoding);
  }

  private RecordingClient subscribed(String topic, Start start, Delivery delivery) {
    return subscribed(node, topic, start, delivery);
  }

  private static RecordingClient subscribed(
      HubFixture at, String topic, Start start, Delivery delivery) {
    RecordingClient client = client(at, Encoding.JSON);
    client.subscribe(topic, start, delivery);
    at.settle();
    return client;
  }

  private RecordingClient subscribed(String topic, Start start) {
    return subscribed(topic, start, Delivery.ALL);
  }

  private static void publish(HubFixture at, String... topics) {
    for (String topic : topics) {
      at.broker.publish(topic);
    }
    at.settle();
  }

  private static List<String> events(RecordingClient client) {
    return client.events.stream().filter(event -> !event.equals("flush")).toList();
  }

  private static Start.Position position(long epoch, long offset, long timeMs, long... ids) {
    return new Start.Position(epoch, offset, ids, SINCE, timeMs);
  }

  /** Keeps the topic's log open and returns its epoch. */
  private static long epoch(HubFixture at, String topic) {
    return subscribed(at, topic, Start.NOW, Delivery.ALL).admissions.get(topic).epoch();
  }

  @ParameterizedTest
  @FieldSource("io.sluice.gateway.protocol.Encoding#SLUICE")
  void shouldStartWithTheNewestOfEachTopicAndContinueLive(Encoding encoding) {
    epoch(node, "s.>");
    publish(node, "s.1", "s.2", "s.1", "s.3");
    RecordingClient late = client(node, encoding);
    late.subscribe("s.>", Start.SNAPSHOT, Delivery.ALL);
    node.settle();
    publish(node, "s.2");
    if (encoding.isDeflated()) {
      return; // small messages are not deflated; what others get has been checked
    }
    assertThat(events(late))
        .containsExactly("subscribed s.>@4", "s.2=1@2", "s.1=2@3", "s.3=1@4", "s.2=2@5");
    assertThat(late.admissions.get("s.>").replay()).isEqualTo(3);
    assertThat(late.admissions.get("s.>").recovered()).isNull();
  }

  @Test
  void shouldNeitherLoseNorDuplicateBetweenSnapshotAndStream() {
    epoch(node, "t");
    publish(node, "t");
    node.broker.publish("t"); // waits for the shard
    RecordingClient late = client(node, Encoding.JSON);
    late.subscribe("t", Start.SNAPSHOT, Delivery.ALL);
    node.broker.publish("t");
    node.settle();
    assertThat(events(late)).endsWith("t=2@2", "t=3@3").doesNotHaveDuplicates();
  }

  @Test
  void shouldStartWithLatestAvailableMessages() {
    epoch(node, "t");
    for (int i = 0; i < 25; i++) {
      publish(node, "t");
    }
    assertThat(events(subscribed("t", new Start.Last(2))))
        .containsExactly("subscribed t@25", "t=24@24", "t=25@25");
    assertThat(events(subscribed("t", new Start.Last(100)))).hasSize(1 + 10).contains("t=16@16");
  }

  @Test
  void shouldReplayMessagesAfterOffsetOfSameEpoch() {
    long epoch = epoch(node, "t");
    publish(node, "t", "t", "t");
    RecordingClient back = subscribed("t", position(epoch, 1, 0));
    publish(node, "t");
    assertThat(events(back)).containsExactly("subscribed t@3", "t=2@2", "t=3@3", "t=4@4");
    assertThat(back.admissions.get("t").recovered()).isTrue();
    assertThat(back.admissions.get("t").timeMs()).as("the position keeps its time").isZero();
  }

  @Test
  void shouldReplayNothingToCaughtUpClient() {
    long epoch = epoch(node, "t");
    publish(node, "t", "t");
    RecordingClient back = subscribed("t", position(epoch, 2, 0));
    assertThat(back.admissions.get("t").recovered()).isTrue();
    assertThat(back.admissions.get("t").replay()).isZero();
  }

  @Test
  void shouldNotRecoverFromEvictedOffset() {
    long epoch = epoch(node, "t");
    for (int i = 0; i < 12; i++) {
      publish(node, "t");
    }
    assertThat(subscribed("t", position(epoch, 2, 0)).admissions.get("t").recovered()).isTrue();
    RecordingClient lost = subscribed("t", position(epoch, 1, 0));
    assertThat(lost.admissions.get("t").recovered()).isFalse();
    assertThat(lost.admissions.get("t").timeMs()).isEqualTo(node.clock.wallMs());
    assertThat(events(lost)).containsExactly("subscribed t@12", "t=12@12");
  }

  @Test
  void shouldNotReplayAcrossLossOfBroker() {
    long epoch = epoch(node, "t");
    publish(node, "t");
    node.broker.lose();
    node.settle();
    node.broker.connect();
    node.settle();
    publish(node, "t");
    assertThat(subscribed("t", position(epoch, 1, 0, 1)).admissions.get("t").recovered()).isFalse();
    RecordingClient notified = subscribed("t", position(epoch, 2, 0, 1));
    assertThat(events(notified))
        .as("the loss was reported")
        .containsExactly("subscribed t@3", "t=2@3");
    assertThat(notified.admissions.get("t").recovered()).isTrue();
  }

  @Test
  void shouldNotReplayAcrossDroppedMessage() {
    long epoch = epoch(node, "t");
    publish(node, "t");
    node.broker.publishTooLarge("t");
    publish(node, "t");
    assertThat(subscribed("t", position(epoch, 1, 0)).admissions.get("t").recovered()).isFalse();
    assertThat(subscribed("t", position(epoch, 2, 0)).admissions.get("t").recovered()).isTrue();
  }

  @Test
  void shouldReplayFromSpreadBeforeIdentityOfAnotherNode() {
    epoch(node, "t");
    node.pass(UNPROVEN_MS);
    publish(node, "t");
    node.pass(101);
    publish(node, "t", "t");
    node.pass(100);
    publish(node, "t", "t", "t");
    RecordingClient moved = subscribed("t", position(77, 1000, 0, 1, 2, 3, 4));
    assertThat(moved.admissions.get("t").recovered()).isTrue();
    assertThat(events(moved))
        .containsExactly("subscribed t@6", "t=2@2", "t=3@3", "t=4@4", "t=5@5", "t=6@6");
  }

  @Test
  void shouldNotResumeAtMessageThatMayHaveOvertakenOthers() {
    epoch(node, "t");
    node.pass(UNPROVEN_MS + 101);
    publish(node, "t");
    node.pass(1_000);
    node.broker.deliver("t", new DeliveryInfo(2, 9, false, 0, false, false));
    node.broker.deliver("t", new DeliveryInfo(3, 4, true, 0, false, false));
    node.broker.deliver("t", new DeliveryInfo(4, 4, false, 0, true, false));
    node.settle();
    for (long id = 2; id <= 4; id++) {
      assertThat(recovered(position(77, 1000, 0, id))).as("from message %d", id).isFalse();
    }
    long since = node.clock.wallMs() - 1_000;
    Start known = new Start.Position(77, 1000, new long[] {1, 2}, since - 5_000, 0);
    assertThat(recovered(known)).as("from the one before them").isFalse();
    long time = node.clock.wallMs() - 4_000;
    node.broker.prove();
    RecordingClient client =
        subscribed("t", new Start.Position(77, 1000, new long[] {1, 2}, SINCE, time));
    assertThat(client.admissions.get("t").recovered()).isTrue();
    assertThat(events(client)).contains("t=1@1", "t=2@2", "t=3@3", "t=4@4");
  }

  @Test
  void shouldNotResumeAtMessageOfHigherPriorityThanAnother() {
    epoch(node, "t");
    node.pass(UNPROVEN_MS + 101);
    publish(node, "t");
    assertThat(recovered(position(77, 1000, 0, 1))).as("the lowest priority so far").isTrue();
    node.pass(UNPROVEN_MS);
    node.broker.deliver("t", new DeliveryInfo(2, 0, false, 0, false, false));
    node.settle();
    assertThat(recovered(position(77, 1000, 0, 1))).as("above another one").isFalse();
    assertThat(recovered(position(77, 1000, 0, 2))).as("the lowest one").isTrue();
  }

  @Test
  void shouldNotResumeAtIdentityIfLowerPriorityMayPrecedeLog() {
    long time = node.clock.wallMs();
    node.pass(4_000);
    epoch(node, "t");
    node.pass(UNPROVEN_MS + 101);
    publish(node, "t");
    Start lagging = new Start.Position(77, 1000, new long[] {1}, SINCE, time);
    assertThat(recovered(lagging)).isFalse();
    Start caughtUp = new Start.Position(77, 1000, new long[] {1}, SINCE, time + 9_001);
    assertThat(recovered(caughtUp)).isTrue();
  }

  private boolean recovered(Start start) {
    return subscribed("t", start).admissions.get("t").recovered();
  }

  @Test
  void shouldNotResumeAtIdentityIfLogMayBeIncompleteBefore() {
    epoch(node, "t");
    publish(node, "t");
    RecordingClient moved = subscribed("t", position(77, 1000, 0, 1));
    assertThat(moved.admissions.get("t").recovered()).as("the log began just now").isFalse();
    node.pass(UNPROVEN_MS + 101);
    publish(node, "t");
    assertThat(subscribed("t", position(77, 1000, 0, 2)).admissions.get("t").recovered()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(IdentityState.class)
  void shouldResumePositionsOfOtherNodesOnlyWithIdentities(IdentityState state) {
    HubFixture other = node();
    other.broker.identify(state);
    epoch(other, "t");
    other.pass(60_000);
    publish(other, "t", "t");
    long id = state == IdentityState.REFUTED ? 0 : 1;
    RecordingClient moved = subscribed(other, "t", position(77, 1, 0, id), Delivery.ALL);
    assertThat(moved.admissions.get("t").recovered()).isEqualTo(state.isComparable());
  }

  @Test
  void shouldNotResumeOtherNodesWhileALogHasUnidentifiedMessages() {
    RecordingClient holder = client(node, Encoding.JSON);
    holder.anyOrder = true;
    holder.subscribe("t", Start.NOW, Delivery.ALL);
    node.settle();
    node.pass(60_000);
    node.broker.give("t", 100, node.clock.wallMs());
    node.pass(10_000);
    node.broker.give("t", 100, node.clock.wallMs()); // no history
    publish(node, "t");
    assertThat(subscribed("t", position(77, 1, 0, 100)).admissions.get("t").recovered()).isFalse();
    for (int i = 0; i < 10; i++) {
      publish(node, "t");
      node.pass(200);
    }
    assertThat(subscribed("t", position(77, 1, 0, 10)).admissions.get("t").recovered()).isTrue();
  }

  @Test
  void shouldReportAGapAndProveNothingOnceIdsAreRefuted() {
    RecordingClient client = subscribed("t", Start.NOW);
    node.broker.identify(IdentityState.REFUTED);
    publish(node, "t");
    node.pass(10_000);
    node.broker.prove();
    node.settle();
    assertThat(events(client)).containsExactly("subscribed t@0", "gap t broker-lost", "t=1@2");
    assertThat(client.ids).doesNotContain("%016x".formatted(1));
  }

  @Test
  void shouldNotResumeAtIdentityIfReplayExceedsOverlap() {
    epoch(node, "t");
    node.pass(UNPROVEN_MS + 1_000);
    for (int i = 0; i < 9; i++) {
      publish(node, "t");
    }
    long[] ids = LongStream.rangeClosed(1, 8).toArray();
    assertThat(subscribed("t", position(77, 1, 0, ids)).admissions.get("t").recovered()).isTrue();
    assertThat(subscribed("t", position(77, 1, 0, 9)).admissions.get("t").recovered()).isFalse();
  }

  @Test
  void shouldRejectPositionOfAnotherSite() {
    HubFixture paris = node(CONFIG.with(BrokerSettings.SITE, "paris"));
    epoch(paris, "s.1");
    paris.pass(60_000);
    paris.broker.prove();
    paris.settle();
    long nowMs = paris.clock.wallMs();
    for (Site site : List.of(Site.of("paris"), Site.of("oslo"), Site.UNNAMED)) {
      Start caughtUp = new Start.Position(7, site, 0, new long[0], SINCE, nowMs);
      RecordingClient client = subscribed(paris, "s.1", caughtUp, Delivery.ALL);
      assertThat(client.admissions.get("s.1").recovered())
          .as("a position of %s", site)
          .isEqualTo(site.equals(Site.of("paris")));
    }
  }

  @Test
  void shouldReplayMessagesSinceCaughtUpTime() {
    epoch(node, "t");
    node.pass(15_000);
    node.broker.prove();
    long caughtUpMs = node.clock.wallMs();
    publish(node, "t");
    RecordingClient moved = subscribed("t", position(77, 1000, caughtUpMs, 999));
    assertThat(moved.admissions.get("t").recovered()).isTrue();
    assertThat(events(moved)).containsExactly("subscribed t@1", "t=1@1");
    RecordingClient older = subscribed("t", position(77, 1000, caughtUpMs - 5_000, 999));
    assertThat(older.admissions.get("t").recovered()).as("up to the margin's edge").isFalse();
    assertThat(subscribed("t", position(77, 1000, caughtUpMs - 4_999)).admissions.get("t"))
        .matches(admission -> admission.recovered());
  }

  private boolean isRecovered(long sinceMs, long timeMs, long... ids) {
    Start.Position position = new Start.Position(77, 1000, ids, sinceMs, timeMs);
    return subscribed("t", position).admissions.get("t").recovered();
  }

  @Test
  void shouldStartWithNewestMessageOfEachKey() {
    epoch(node, "orders");
    for (String key : List.of("a", "b", "a", "c", "b")) {
      node.broker.publish("orders", key);
    }
    node.settle();
    assertThat(events(subscribed("orders", Start.SNAPSHOT)))
        .containsExactly("subscribed orders@5", "orders=3@3", "orders=4@4", "orders=5@5");
  }

  @Test
  void shouldConflateByKeyForLaggingClient() {
    RecordingClient client = subscribed("orders", Start.NOW, new Delivery(true, 0));
    client.room = 0;
    for (String key : List.of("a", "b", "a")) {
      node.broker.publish("orders", key);
    }
    node.settle();
    client.room = 1;
    node.pass(10);
    assertThat(events(client)).containsExactly("subscribed orders@0", "orders=2@2", "orders=3@3");
  }

  private HubFixture warmNode() {
    return warmNode(CONFIG);
  }

  private HubFixture warmNode(Config config) {
    HubFixture added = new HubFixture(1, config.with(HistorySettings.WARM, List.of("s.>")), 1_000);
    nodes.add(added);
    added.hub.start();
    added.settle();
    added.broker.connect();
    added.settle();
    return added;
  }

  @Test
  void shouldReopenWarmPatternAfterRefusal() {
    HubFixture added = new HubFixture(1, CONFIG.with(HistorySettings.WARM, List.of("s.>")), 1_000);
    nodes.add(added);
    added.broker.refuse("s.>");
    added.hub.start();
    added.settle();
    added.broker.connect();
    added.settle();
    assertThat(added.broker.opened()).isEmpty();

    added.control.fireTimers();
    added.settle();
    assertThat(added.broker.opened()).as("refused again").isEmpty();
    RecordingClient meanwhile = subscribed(added, "s.1", Start.NOW, Delivery.ALL);
    assertThat(events(meanwhile)).containsExactly("subscribed s.1@0");

    added.broker.refuse(null);
    added.control.fireTimers();
    added.settle();
    assertThat(added.broker.opened()).containsExactlyInAnyOrder("s.1", "s.>");
    publish(added, "s.2");
    RecordingClient late = subscribed(added, "s.2", new Start.Last(1), Delivery.ALL);
    assertThat(events(late)).containsExactly("subscribed s.2@1", "s.2=1@1");
  }

  @Test
  void shouldReplayWarmTopicWithoutEarlierSubscriber() {
    HubFixture warm = warmNode();
    publish(warm, "s.1", "s.2", "s.1", "s.1");
    RecordingClient client = subscribed(warm, "s.1", new Start.Last(2), Delivery.ALL);
    publish(warm, "s.1", "s.2");
    assertThat(events(client)).containsExactly("subscribed s.1@3", "s.1=2@2", "s.1=3@3", "s.1=4@4");
    assertThat(warm.broker.consumers()).as("consumers at the broker").isEqualTo(1);
  }

  @Test
  void shouldReleaseChannelsOfPatternWithoutSubscribers() {
    HubFixture warm =
        warmNode(
            CONFIG
                .with(LimitSettings.CHANNELS, 40)
                .with(HistorySettings.MESSAGES, 4)
                .with(HistorySettings.KEYS, 4));
    for (int i = 1; i <= 200; i++) {
      publish(warm, "s." + i);
    }
    RecordingClient client = client(warm, Encoding.BINARY);
    client.subscribe("s.>", Start.SNAPSHOT, Delivery.ALL);
    warm.settle();
    publish(warm, "s.7", "s.300", "s.1");
    assertThat(events(client))
        .containsExactly(
            "subscribed s.>@200",
            "s.1=1@1",
            "s.2=1@2",
            "s.3=1@3",
            "s.4=1@4",
            "s.7=2@201",
            "s.300=1@202",
            "s.1=2@203");
  }

  @Test
  void shouldFeedPatternFromWarmPattern() {
    HubFixture warm = warmNode();
    publish(warm, "s.a.1", "s.b.1", "s.a.2");
    RecordingClient client = subscribed(warm, "s.a.*", Start.SNAPSHOT, Delivery.ALL);
    publish(warm, "s.b.1", "s.a.1");
    assertThat(events(client))
        .containsExactly("subscribed s.a.*@2", "s.a.1=1@1", "s.a.2=1@2", "s.a.1=2@3");
  }

  @Test
  void shouldRetainNewestMessageOfWarmTopicAfterEviction() {
    HubFixture warm = warmNode();
    publish(warm, "s.quiet");
    for (int i = 0; i < 20; i++) {
      publish(warm, "s.busy");
    }
    RecordingClient client = subscribed(warm, "s.quiet", Start.SNAPSHOT, Delivery.ALL);
    assertThat(events(client)).containsExactly("subscribed s.quiet@1", "s.quiet=1@1");
    warm.pass(6_000);
    Start.Position gone = new Start.Position(77, 1, new long[] {1}, SINCE, 0);
    assertThat(subscribed(warm, "s.quiet", gone, Delivery.ALL).admissions.get("s.quiet"))
        .as("what lies around it is not known any more")
        .matches(admission -> !admission.recovered());
  }

  @Test
  void shouldNotReplayRetainedMessagesAsLatestMessages() {
    HubFixture warm = warmNode();
    warm.broker.publish("s.1", "a");
    warm.broker.publish("s.1", "b");
    for (int i = 0; i < 10; i++) {
      warm.broker.publish("s.1", "c");
    }
    warm.settle();
    RecordingClient client = subscribed(warm, "s.1", new Start.Last(12), Delivery.ALL);
    assertThat(client.admissions.get("s.1").replay()).as("without a and b").isEqualTo(10);
    RecordingClient all = subscribed(warm, "s.1", Start.SNAPSHOT, Delivery.ALL);
    assertThat(all.admissions.get("s.1").replay()).as("a, b and c").isEqualTo(3);
  }

  @Test
  void shouldReportGapsOfWarmPatternToFedTopics() {
    HubFixture warm = warmNode();
    RecordingClient client = subscribed(warm, "s.1", Start.NOW, Delivery.ALL);
    publish(warm, "s.1");
    warm.broker.lose();
    warm.settle();
    RecordingClient late = subscribed(warm, "s.2", Start.NOW, Delivery.ALL);
    assertThat(events(late)).isEmpty();
    warm.broker.connect();
    warm.settle();
    publish(warm, "s.1", "s.2");
    assertThat(events(client))
        .containsExactly(
            "subscribed s.1@0", "s.1=1@1", "stale", "gap s.1 broker-lost", "live", "s.1=2@3");
    assertThat(events(late)).containsExactly("subscribed s.2@1", "live", "s.2=1@2");
  }

  @Test
  void shouldServeWarmTopicAgainAfterLastUnsubscribe() {
    HubFixture warm = warmNode();
    RecordingClient client = subscribed(warm, "s.1", Start.NOW, Delivery.ALL);
    client.leave();
    warm.settle();
    warm.control.fireTimers(); // it does not linger any longer
    publish(warm, "s.1");
    RecordingClient next = subscribed(warm, "s.1", Start.SNAPSHOT, Delivery.ALL);
    assertThat(events(next)).containsExactly("subscribed s.1@1", "s.1=1@1");
    assertThat(warm.broker.consumers()).isEqualTo(1);
  }

  @Test
  void shouldSendNoMessageFromBeforeSubscription() {
    epoch(node, "t");
    node.pass(20_000);
    node.broker.prove();
    publish(node, "t");
    long nowMs = node.clock.wallMs();
    assertThat(isRecovered(nowMs - 5_100, 0, 1))
        .as("margin and spread before its message")
        .isTrue();
    assertThat(isRecovered(nowMs - 5_099, 0, 1)).as("a little later").isFalse();
    assertThat(isRecovered(nowMs - 10_000, nowMs)).as("two margins before its time").isTrue();
    assertThat(isRecovered(nowMs - 9_999, nowMs)).as("a little later").isFalse();
    assertThat(isRecovered(0, nowMs, 1)).as("a client that does not say").isFalse();
  }

  @Test
  void shouldTolerateChangeOfWallClock() {
    epoch(node, "t");
    node.pass(20_000);
    publish(node, "t");
    node.clock.set(3_600_000);
    publish(node, "t");
    node.clock.set(-3_600_000);
    node.broker.prove();
    assertThat(isRecovered(node.clock.wallMs() - 10_000, 0, 1)).isTrue();
    assertThat(isRecovered(node.clock.wallMs() - 10_000, node.clock.wallMs())).isTrue();
  }

  @Test
  void shouldNotReplaySupersededMessagesOfAnotherNode() {
    epoch(node, "t");
    node.pass(20_000);
    publish(node, "t", "t");
    RecordingClient moved =
        subscribed("t", position(77, 1000, node.clock.wallMs(), 1), new Delivery(true, 0));
    assertThat(moved.admissions.get("t").recovered()).isFalse();
    assertThat(events(moved)).containsExactly("subscribed t@2", "t=2@2");
  }

  @Test
  void shouldEvictExpiredMessagesExceptNewest() {
    long epoch = epoch(node, "t");
    publish(node, "t", "t");
    node.pass(CONFIG.get(HistorySettings.AGE).toMillis() + 1);
    publish(node, "t");
    assertThat(subscribed("t", position(epoch, 1, 0)).admissions.get("t").recovered()).isFalse();
    assertThat(events(subscribed("t", Start.SNAPSHOT))).endsWith("t=3@3");
  }

  @Test
  void shouldCatchUpAtPaceOfClient() {
    long epoch = epoch(node, "t");
    publish(node, "t", "t", "t", "t");
    RecordingClient back = client(node, Encoding.JSON);
    back.room = 0;
    back.subscribe("t", position(epoch, 0, 0), Delivery.ALL);
    node.settle();
    publish(node, "t");
    node.pass(10);
    assertThat(events(back)).containsExactly("subscribed t@4");
    back.room = 1;
    node.pass(10);
    publish(node, "t");
    assertThat(events(back))
        .containsExactly("subscribed t@4", "t=1@1", "t=2@2", "t=3@3", "t=4@4", "t=5@5", "t=6@6");
  }

  @Test
  void shouldReportGapToClientThatCatchesUpTooSlowly() {
    long epoch = epoch(node, "t");
    publish(node, "t");
    RecordingClient back = client(node, Encoding.JSON);
    back.room = 0;
    back.subscribe("t", position(epoch, 0, 0), Delivery.ALL);
    node.settle();
    for (int i = 0; i < 11; i++) {
      publish(node, "t");
    }
    back.room = 1;
    node.pass(10);
    publish(node, "t");
    assertThat(events(back))
        .as("a replay that is under way ends with the gap")
        .containsExactly("subscribed t@1", "gap t overload", "t=13@13");
  }

  @Test
  void shouldReportGapInOrderDuringCatchUp() {
    long epoch = epoch(node, "t");
    publish(node, "t");
    RecordingClient back = client(node, Encoding.JSON);
    back.room = 0;
    back.subscribe("t", position(epoch, 0, 0), Delivery.ALL);
    publish(node, "t");
    node.broker.publishTooLarge("t");
    publish(node, "t");
    back.room = 1;
    node.pass(10);
    assertThat(events(back))
        .containsExactly("subscribed t@1", "t=1@1", "t=2@2", "gap t too-large", "t=4@4");
  }

  @Test
  void shouldConflateForLaggingClient() {
    RecordingClient client = subscribed("s.*", Start.NOW, new Delivery(true, 0));
    publish(node, "s.1", "s.2");
    client.room = 0;
    publish(node, "s.1", "s.1", "s.2", "s.1", "s.3");
    node.pass(10);
    assertThat(events(client)).containsExactly("subscribed s.*@0", "s.1=1@1", "s.2=1@2");
    client.room = 1;
    node.pass(10);
    assertThat(events(client).subList(3, 6)).containsExactly("s.2=2@5", "s.1=4@6", "s.3=1@7");
  }

  @Test
  void shouldSendAllMessagesToClientThatRecoversFromLag() {
    RecordingClient client = subscribed("s.*", Start.NOW, new Delivery(true, 0));
    for (int i = 0; i < 3; i++) {
      node.broker.publish("s.1");
    }
    node.settle();
    client.room = 0;
    publish(node, "s.1", "s.1");
    client.room = 1;
    node.pass(10);
    for (int i = 0; i < 3; i++) {
      node.broker.publish("s.1");
    }
    node.settle();
    assertThat(events(client))
        .containsExactly(
            "subscribed s.*@0",
            "s.1=1@1",
            "s.1=2@2",
            "s.1=3@3",
            "s.1=5@5",
            "s.1=6@6",
            "s.1=7@7",
            "s.1=8@8");
  }

  @Test
  void shouldCutOldestSnapshotAboveLimit() {
    HubFixture small = node(CONFIG.with(LimitSettings.SNAPSHOT_BYTES, 64L * 1024));
    subscribed(small, "s.*", Start.NOW, Delivery.ALL);
    for (int i = 0; i < 6_000; i++) { // 48 KB for each list
      publish(small, "s." + i);
    }
    RecordingClient first = client(small, Encoding.JSON);
    first.room = 0;
    first.subscribe("s.*", Start.SNAPSHOT, Delivery.ALL);
    small.settle();
    RecordingClient sharing = client(small, Encoding.JSON);
    sharing.room = 0;
    sharing.subscribe("s.*", Start.SNAPSHOT, new Delivery(true, 0));
    small.settle();

    for (int i = 0; i < 2_000; i++) {
      publish(small, "s." + i);
    }
    RecordingClient second = subscribed(small, "s.*", Start.SNAPSHOT, Delivery.ALL);
    assertThat(small.dropped("snapshots-too-many")).isEqualTo(2);
    assertThat(events(second)).hasSize(6_001);
    first.room = Long.MAX_VALUE;
    sharing.room = Long.MAX_VALUE;
    small.pass(10);
    assertThat(events(first)).containsExactly("subscribed s.*@6000", "gap s.* overload");
    assertThat(events(sharing))
        .hasSize(2_002)
        .startsWith("subscribed s.*@6000", "gap s.* overload");
  }

  private static void loseBroker(HubFixture at) {
    at.broker.lose();
    at.settle();
    at.broker.connect();
    at.settle();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 1_000_000_000L})
  void shouldReportLossAfterOutdatedSnapshot(long intervalNs) {
    Delivery delivery = intervalNs < 0 ? Delivery.ALL : new Delivery(true, intervalNs);
    long epoch = epoch(node, "s.>");
    publish(node, "s.1", "s.2");
    loseBroker(node);
    publish(node, "s.1");
    String[] outdated = {"subscribed s.>@4", "s.2=1@2", "s.1=2@4", "gap s.> broker-lost"};
    RecordingClient fresh = subscribed("s.>", Start.SNAPSHOT, delivery);
    RecordingClient unrecovered = subscribed("s.>", position(epoch, 1, 0), delivery);
    assertThat(events(fresh)).containsExactly(outdated);
    assertThat(events(unrecovered)).containsExactly(outdated);
    for (int i = 0; i < 20; i++) {
      publish(node, "s.1"); // evicts the marker
    }
    assertThat(events(subscribed("s.>", Start.SNAPSHOT, delivery)))
        .containsExactly("subscribed s.>@24", "s.2=1@2", "s.1=22@24", "gap s.> broker-lost");
    publish(node, "s.2");
    RecordingClient current = subscribed("s.>", Start.SNAPSHOT, delivery);
    assertThat(events(current)).containsExactly("subscribed s.>@25", "s.1=22@24", "s.2=2@25");
  }

  @Test
  void shouldReportLossThatFollowsSnapshot() {
    epoch(node, "t");
    publish(node, "t");
    node.broker.publishTooLarge("t");
    node.settle();
    RecordingClient slow = client(node, Encoding.JSON);
    slow.room = 0;
    slow.subscribe("t", Start.SNAPSHOT, Delivery.ALL);
    node.settle();
    publish(node, "t");
    slow.room = Long.MAX_VALUE;
    node.pass(10);
    assertThat(events(slow)).containsExactly("subscribed t@2", "t=1@1", "gap t too-large", "t=3@3");
    assertThat(slow.admissions.get("t").replay()).as("the gap counts as one").isEqualTo(2);
  }

  @Test
  void shouldReportLossOfWarmPatternAfterOutdatedSnapshot() {
    HubFixture warm = warmNode();
    publish(warm, "s.old", "s.1");
    loseBroker(warm);
    publish(warm, "s.new");
    assertThat(events(subscribed(warm, "s.old", Start.SNAPSHOT, Delivery.ALL)))
        .containsExactly("subscribed s.old@2", "s.old=1@1", "gap s.old broker-lost");
    assertThat(events(subscribed(warm, "s.new", Start.SNAPSHOT, Delivery.ALL)).get(1))
        .startsWith("s.new=1");
    for (int i = 0; i < 20; i++) {
      publish(warm, "s.busy"); // evicts the marker
    }
    assertThat(events(subscribed(warm, "s.1", Start.SNAPSHOT, Delivery.ALL)))
        .containsExactly("subscribed s.1@2", "s.1=1@1", "gap s.1 broker-lost");
    assertThat(events(subscribed(warm, "s.busy", Start.SNAPSHOT, Delivery.ALL))).hasSize(2);
    assertThat(events(subscribed(warm, "s.*", Start.SNAPSHOT, Delivery.ALL)))
        .startsWith("subscribed s.*@15", "s.old=1@1", "s.1=1@2", "s.new=1@4")
        .endsWith("gap s.* broker-lost")
        .hasSize(6);
  }

  @Test
  void shouldNotReportLossAfterSnapshotOfRetainedMessages() {
    HubFixture warm = warmNode();
    publish(warm, "s.1", "s.2");
    for (int i = 0; i < 20; i++) {
      publish(warm, "s.busy");
    }
    assertThat(events(subscribed(warm, "s.*", Start.SNAPSHOT, Delivery.ALL)))
        .hasSize(4)
        .noneMatch(event -> event.startsWith("gap"));
  }

  @Test
  void shouldShareSlightlyOutdatedSnapshot() {
    subscribed("s.*", Start.NOW, Delivery.ALL);
    for (int i = 0; i < 8; i++) {
      publish(node, "s." + i);
    }
    RecordingClient slow = client(node, Encoding.JSON);
    slow.room = 0;
    slow.subscribe("s.*", Start.SNAPSHOT, Delivery.ALL);
    node.settle();
    publish(node, "s.0", "s.1");
    RecordingClient fast = subscribed("s.*", Start.SNAPSHOT, Delivery.ALL);
    RecordingClient latest = subscribed("s.*", Start.SNAPSHOT, new Delivery(true, 0));
    for (RecordingClient client : List.of(fast, latest)) {
      assertThat(events(client)).startsWith("subscribed s.*@8", "s.0=1@1").hasSize(11);
      assertThat(events(client)).endsWith("s.0=2@9", "s.1=2@10");
    }
    slow.room = Long.MAX_VALUE;
    node.pass(10);
    assertThat(events(slow)).hasSize(11).endsWith("s.0=2@9", "s.1=2@10");
  }

  @Test
  void shouldAnnounceManyChannelsInPartsBeforeTheirMessages() {
    subscribed("s.*", Start.NOW, Delivery.ALL);
    for (int i = 0; i < 1_000; i++) {
      publish(node, "s." + i);
    }
    RecordingClient client = client(node, Encoding.BINARY);
    client.room = 0;
    client.subscribe("s.*", Start.NOW, Delivery.ALL);
    node.settle();
    publish(node, "s.new", "s.7");
    assertThat(client.mostFrames).isZero();
    client.room = 1_000;
    node.pass(10);
    publish(node, "s.7");
    assertThat(events(client))
        .containsExactly("subscribed s.*@1000", "s.new=1@1001", "s.7=2@1002", "s.7=3@1003");
  }

  @Test
  void shouldSendAtRequestedRateAndEndWithNewestMessage() {
    RecordingClient client = subscribed("t", Start.NOW, new Delivery(true, 1_000_000_000L));
    publish(node, "t");
    publish(node, "t");
    publish(node, "t");
    node.pass(999);
    assertThat(events(client)).containsExactly("subscribed t@0", "t=1@1");
    node.pass(1);
    assertThat(events(client)).endsWith("t=3@3");
    node.pass(5_000);
    publish(node, "t");
    assertThat(events(client)).hasSize(4).endsWith("t=4@4");
  }

  private long prove() {
    node.pass(10);
    node.broker.prove();
    node.settle();
    return node.clock.monoMs();
  }

  @Test
  void shouldLimitProofToBeforeHeldMessage() {
    RecordingClient client = subscribed("s.*", Start.NOW, new Delivery(true, 1_000_000_000L));
    Subscription subscription = client.subscriptions.get("s.*");
    publish(node, "s.1");
    long before = prove();
    assertThat(subscription.provenMs()).as("nothing is held").isEqualTo(before);
    publish(node, "s.1");
    prove();
    long between = prove();
    publish(node, "s.2");
    prove();
    assertThat(subscription.provenMs()).as("s.1=2 is held").isEqualTo(before);
    publish(node, "s.1");
    assertThat(subscription.provenMs()).as("s.2=1 is the oldest").isEqualTo(between);
    node.broker.publishTooLarge("s.1");
    node.settle();
    long later = prove();
    assertThat(subscription.provenMs()).as("a gap is held, too").isLessThan(later);
    node.pass(1_000);
    assertThat(events(client)).endsWith("s.2=1@3", "s.1=3@4", "gap s.* too-large");
    assertThat(subscription.provenMs()).isEqualTo(later);
  }

  @Test
  void shouldAdvanceProofOfClientWhoseQueueIsNeverEmpty() {
    RecordingClient client = subscribed("s.*", Start.NOW, new Delivery(true, 0));
    Subscription subscription = client.subscriptions.get("s.*");
    client.room = 0;
    publish(node, "s.0");
    long before = 0;
    for (int i = 1; i < 20; i++) {
      long now = prove();
      publish(node, "s." + i % 2); // the oldest is replaced
      assertThat(subscription.provenMs()).isLessThanOrEqualTo(now);
      if (i % 4 == 0) {
        assertThat(subscription.provenMs()).isGreaterThan(before);
        before = subscription.provenMs();
      }
    }
  }

  @Test
  void shouldReportGapInOrderToConflatedClient() {
    RecordingClient client = subscribed("s.*", Start.NOW, new Delivery(true, 0));
    client.room = 0;
    publish(node, "s.1");
    node.broker.publishTooLarge("s.1");
    publish(node, "s.2");
    client.room = 1;
    node.pass(10);
    assertThat(events(client))
        .containsExactly("subscribed s.*@0", "s.1=1@1", "gap s.* too-large", "s.2=1@3");
  }

  @Test
  void shouldReportEachGapBetweenMessagesToConflatedClient() {
    RecordingClient client = subscribed("s.*", Start.NOW, new Delivery(true, 0));
    client.room = 0;
    for (String topic : List.of("s.1", "s.1", "s.2")) {
      node.broker.publishTooLarge(topic);
      publish(node, topic);
    }
    node.broker.publishTooLarge("s.3");
    node.broker.publishTooLarge("s.3");
    client.room = 1;
    node.pass(10);
    assertThat(events(client))
        .as("what s.1=2 supersedes parts no losses")
        .containsExactly(
            "subscribed s.*@0",
            "gap s.* too-large",
            "s.1=4@4",
            "gap s.* too-large",
            "s.2=2@6",
            "gap s.* too-large");
  }

  @Test
  void shouldRemoveClientThatLeavesDuringCatchUp() {
    long epoch = epoch(node, "t");
    publish(node, "t", "t");
    for (Delivery delivery : List.of(Delivery.ALL, new Delivery(true, 1))) {
      RecordingClient back = client(node, Encoding.BINARY);
      back.room = 0;
      back.subscribe("t", position(epoch, 0, 0), delivery);
      node.settle();
      back.leave();
      back.room = 1;
      publish(node, "t");
      node.pass(10);
      assertThat(events(back)).as("nothing but the answer").hasSize(1);
    }
  }

  @Test
  void shouldRetainHistoryDespiteRefusedTopics() {
    HubFixture full =
        node(
            CONFIG
                .with(LimitSettings.CHANNELS, 2)
                .with(HistorySettings.MESSAGES, 10_000)
                .with(HistorySettings.BYTES, 16L << 20)
                .with(HistorySettings.MEMORY, 1L << 20));
    long epoch = epoch(full, "quiet");
    epoch(full, "busy");
    RecordingClient refused = client(full, Encoding.JSON);
    for (int i = 0; i < 200; i++) {
      refused.subscribe("one too many");
      full.settle();
    }
    assertThat(events(refused)).hasSize(200).allMatch(event -> event.startsWith("refused"));
    for (int i = 0; i < 100; i++) {
      publish(full, "quiet");
    }
    for (int i = 0; i < 7_000; i++) {
      publish(full, "busy"); // more than there is memory for
    }
    publish(full, "quiet");
    RecordingClient back = subscribed(full, "quiet", position(epoch, 0, 0), Delivery.ALL);
    assertThat(back.admissions.get("quiet").recovered()).isTrue();
  }

  @Test
  void shouldNotExceedBufferLimitOfClient() {
    epoch(node, "s.*");
    for (int i = 0; i < 300; i++) {
      node.broker.publish("s." + i);
    }
    node.settle();
    RecordingClient small = client(node, Encoding.JSON);
    small.room = 500;
    small.subscribe("s.*", Start.SNAPSHOT, Delivery.ALL);
    node.settle();
    assertThat(events(small)).hasSize(301);
    assertThat(small.mostBytes).isBetween(200, 500);
    RecordingClient large = subscribed("s.*", Start.SNAPSHOT);
    assertThat(events(large)).hasSize(301);
    assertThat(large.mostFrames).isEqualTo(MESSAGES_AT_ONCE);
  }

  @Test
  void shouldLimitTopicsQueuedForLaggingClient() {
    HubFixture small = node(CONFIG.with(HistorySettings.KEYS, 3));
    RecordingClient client = subscribed(small, "s.*", Start.NOW, new Delivery(true, 0));
    client.room = 0;
    publish(small, "s.1", "s.2", "s.3", "s.1", "s.4", "s.1", "s.2", "s.1");
    assertThat(small.dropped("latest-too-many")).isEqualTo(3);
    client.room = 1;
    small.pass(10);
    assertThat(events(client))
        .containsExactly("subscribed s.*@0", "gap s.* overload", "s.4=1@5", "s.2=2@7", "s.1=4@8");
  }

  @Test
  void shouldLimitBytesQueuedForLaggingClient() {
    Config config = CONFIG.with(LimitSettings.PENDING_BYTES, 4096L);
    HubFixture without = node(config.with(HistorySettings.MESSAGES, 0));
    RecordingClient alone = subscribed(without, "s.*", Start.NOW, new Delivery(true, 0));
    HubFixture with = node(config);
    RecordingClient sharing = subscribed(with, "s.*", Start.NOW, new Delivery(true, 0));
    for (RecordingClient client : List.of(alone, sharing)) {
      client.room = 0;
    }
    for (int i = 0; i < 30; i++) {
      publish(without, "s." + i); // some 160 bytes each
      publish(with, "s." + i);
    }
    for (RecordingClient client : List.of(alone, sharing)) {
      client.room = 1;
    }
    without.pass(10);
    with.pass(10);
    assertThat(events(alone)).startsWith("subscribed s.*@0", "gap s.* overload").hasSizeLessThan(9);
    assertThat(events(alone)).endsWith("s.29=1@30");
    assertThat(without.dropped("latest-too-many")).isGreaterThan(23);
    assertThat(events(sharing)).as("of what the log has anyway").hasSize(31).endsWith("s.29=1@30");
  }
}
