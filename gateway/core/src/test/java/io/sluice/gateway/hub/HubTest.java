package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.shard.HubShard;
import io.sluice.testkit.LoggedEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HubTest {
  private static final long LINGER_MS = 60_000;

  private HubFixture fixture;

  private HubFixture start(int loops) {
    return start(loops, Config.defaults());
  }

  private HubFixture start(int loops, Config config) {
    fixture = new HubFixture(loops, config);
    fixture.broker.connect();
    fixture.settle();
    return fixture;
  }

  @AfterEach
  void stop() {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private RecordingClient client(Encoding encoding) {
    return new RecordingClient(fixture.shards.get(0), encoding);
  }

  private static List<String> withoutFlushes(RecordingClient client) {
    return client.events.stream().filter(event -> !event.equals("flush")).toList();
  }

  @Test
  void shouldDeliverMessagesAfterReply() {
    start(2);
    RecordingClient json = client(Encoding.JSON);
    RecordingClient binary = client(Encoding.BINARY_DEFLATED);
    fixture.broker.publish("a");
    json.subscribe("a");
    fixture.settle();
    fixture.broker.publish("a");
    fixture.settle();
    binary.subscribe("a");
    fixture.settle();
    fixture.broker.publish("a");
    fixture.settle();

    assertThat(withoutFlushes(json)).containsExactly("subscribed a@0", "a=2@1", "a=3@2");
    assertThat(withoutFlushes(binary)).containsExactly("subscribed a@1", "a=3@2");
  }

  @Test
  void shouldFlushOncePerBatch() {
    start(1);
    RecordingClient client = client(Encoding.JSON);
    client.subscribe("a");
    fixture.settle();
    client.events.clear();
    for (int i = 0; i < 10; i++) {
      fixture.broker.publish("a");
    }
    fixture.settle();

    assertThat(client.events).hasSize(11).endsWith("flush");
  }

  @Test
  void shouldAnnounceChannelsOfPatternBeforeTheirMessages() {
    start(1);
    RecordingClient early = client(Encoding.BINARY);
    early.subscribe("t.*");
    fixture.settle();
    fixture.broker.publish("t.1");
    fixture.broker.publish("t.2");
    fixture.settle();
    RecordingClient late = client(Encoding.BINARY);
    late.subscribe("t.*");
    fixture.settle();
    fixture.broker.publish("t.1");
    fixture.settle();

    assertThat(withoutFlushes(early)).endsWith("t.1=1@1", "t.2=1@2", "t.1=2@3");
    assertThat(withoutFlushes(late)).containsExactly("subscribed t.*@2", "t.1=2@3");
  }

  @Test
  void shouldReportEveryLossOfFullQueueToLaterSubscribers() {
    start(1);
    RecordingClient first = client(Encoding.JSON);
    first.subscribe("a");
    first.subscribe("b");
    fixture.settle();
    fill("b");
    fixture.broker.publish("a"); // lost
    fixture.settle(); // the gap is reported
    RecordingClient second = client(Encoding.JSON);
    second.subscribe("a");
    fixture.settle();
    fill("b");
    fixture.broker.publish("a"); // lost, too
    fixture.settle();

    assertThat(withoutFlushes(first).stream().filter(event -> event.contains("a overload")))
        .hasSize(2);
    assertThat(withoutFlushes(second)).containsExactly("subscribed a@1", "gap a overload");
    fixture.broker.publish("a");
    fixture.settle();
    assertThat(second.isCurrent("a", "a", 3)).isTrue();
  }

  @Test
  void shouldNotReportLossToSubscriberThatJoinedAfterIt() {
    start(1);
    RecordingClient first = client(Encoding.JSON);
    first.subscribe("a");
    first.subscribe("b");
    fixture.settle();
    fill("b");
    fixture.broker.publish("a"); // lost
    fixture.settle();
    RecordingClient second = client(Encoding.JSON);
    second.subscribe("a");
    fixture.broker.publish("a");
    fixture.settle();

    assertThat(withoutFlushes(second)).containsExactly("subscribed a@1", "a=2@2");
  }

  @Test
  void shouldReportLossAfterReturnOfBroker() {
    start(1);
    RecordingClient client = client(Encoding.JSON);
    client.subscribe("a");
    client.subscribe("b");
    fixture.settle();
    fill("b");
    fixture.broker.publish("a"); // lost
    fixture.broker.lose();
    fixture.broker.connect();
    fixture.broker.recoverOne();
    fixture.broker.publish("a"); // lost, too
    fixture.settle();

    assertThat(withoutFlushes(client).stream().filter(event -> event.startsWith("gap a")))
        .containsExactly("gap a overload", "gap a broker-lost", "gap a overload");
    fixture.broker.publish("a");
    fixture.settle();
    assertThat(client.events).endsWith("a=3@4", "flush");
  }

  @Test
  void shouldQueueOneGapPerTopic() {
    start(1);
    RecordingClient client = client(Encoding.JSON);
    client.subscribe("a");
    fixture.settle();
    for (int i = 0; i < 1000; i++) {
      fixture.broker.publishTooLarge("a");
    }
    fixture.settle();

    assertThat(withoutFlushes(client)).containsExactly("subscribed a@0", "gap a too-large");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDeliverToOtherClientsIfOneFails(boolean latest) {
    start(1);
    Delivery delivery = new Delivery(latest, 0);
    RecordingClient before = client(Encoding.JSON);
    RecordingClient failing = client(Encoding.JSON);
    RecordingClient behind = client(Encoding.JSON);
    for (RecordingClient client : List.of(before, failing, behind)) {
      client.subscribe("a", Start.NOW, delivery);
    }
    fixture.settle();
    failing.failure = new IllegalStateException("a bug");
    fixture.broker.publish("a");
    fixture.settle();
    assertThat(withoutFlushes(before)).containsExactly("subscribed a@0", "a=1@1");
    assertThat(withoutFlushes(behind)).containsExactly("subscribed a@0", "a=1@1");
    assertThat(withoutFlushes(failing)).as("without another message").endsWith("gap a overload");

    failing.failure = null;
    fixture.broker.publish("a");
    fixture.settle();
    assertThat(withoutFlushes(failing)).endsWith("gap a overload", "a=2@2");
    assertThat(withoutFlushes(behind)).endsWith("a=1@1", "a=2@2");
  }

  @Test
  void shouldServeLaggingClientAfterOutOfMemory() {
    start(1);
    RecordingClient lagging = client(Encoding.JSON);
    lagging.subscribe("a", Start.NOW, new Delivery(true, 0));
    fixture.settle();
    lagging.room = 0;
    lagging.onLag = () -> fixture.clock.nanosFailure = new OutOfMemoryError("for the test");
    fixture.broker.publish("a");
    fixture.settle();
    lagging.onLag = () -> {};
    lagging.room = Long.MAX_VALUE;
    fixture.broker.publish("a");
    fixture.pass(10);

    assertThat(withoutFlushes(lagging))
        .containsExactly("subscribed a@0", "gap a overload", "a=2@2");
  }

  @Test
  void shouldLogFailuresOfClientOncePerMinute() {
    start(1);
    RecordingClient failing = client(Encoding.JSON);
    failing.subscribe("a");
    fixture.settle();
    failing.failure = new IllegalStateException("a bug");
    try (LoggedEvents logged = LoggedEvents.of(HubShard.class)) {
      for (int i = 0; i < 100; i++) {
        fixture.broker.publish("a");
        fixture.settle();
      }
      assertThat(logged.names()).containsExactly("shard.fault");

      fixture.pass(60_000);
      fixture.broker.publish("a");
      fixture.settle();
      assertThat(logged.names()).containsExactly("shard.fault", "shard.fault");
    }
  }

  @Test
  void shouldReportEventsDespiteFailingClient() {
    start(1);
    RecordingClient before = client(Encoding.JSON);
    RecordingClient failing = client(Encoding.JSON);
    RecordingClient behind = client(Encoding.JSON);
    for (RecordingClient client : List.of(before, failing, behind)) {
      client.subscribe("a");
    }
    fixture.settle();
    failing.eventFailure = new IllegalStateException("a bug");
    fixture.broker.publishTooLarge("a");
    fixture.broker.lose();
    fixture.settle();
    assertThat(withoutFlushes(before)).endsWith("gap a too-large", "stale");
    assertThat(withoutFlushes(behind)).endsWith("gap a too-large", "stale");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldRetryAGapThatAClientDidNotAccept(boolean latest) {
    start(1);
    RecordingClient failing = client(Encoding.JSON);
    failing.subscribe("a", Start.NOW, new Delivery(latest, 0));
    fixture.settle();
    failing.eventFailure = new IllegalStateException("no memory");
    fixture.broker.publishTooLarge("a");
    fixture.settle();
    assertThat(withoutFlushes(failing)).containsExactly("subscribed a@0");
    failing.eventFailure = null;
    fixture.broker.publish("a");
    fixture.pass(10);
    assertThat(withoutFlushes(failing))
        .containsExactly("subscribed a@0", "gap a overload", "a=2@2");
  }

  @Test
  void shouldReportLossAndReturnOfBroker() {
    start(1);
    RecordingClient client = client(Encoding.JSON);
    client.subscribe("a");
    fixture.settle();
    fixture.broker.lose();
    RecordingClient late = client(Encoding.JSON);
    fixture.settle();
    late.subscribe("a");
    fixture.settle();
    assertThat(late.events).doesNotContain("subscribed a@0");
    assertThat(fixture.hub.losses()).isEqualTo(1);
    fixture.broker.connect();
    fixture.settle();

    assertThat(withoutFlushes(client))
        .containsExactly("subscribed a@0", "stale", "gap a broker-lost", "live");
    assertThat(withoutFlushes(late)).containsExactly("stale", "subscribed a@1", "live");
  }

  @Test
  void shouldCloseConsumerAfterLinger() {
    start(2);
    RecordingClient client = client(Encoding.JSON);
    client.subscribe("a");
    fixture.settle();
    client.unsubscribe("a");
    client.subscribe("a");
    fixture.settle();
    fixture.control.fireTimers();
    assertThat(fixture.broker.consumers()).isEqualTo(1);

    client.unsubscribe("a");
    fixture.settle();
    assertThat(fixture.broker.consumers()).isEqualTo(1);
    fixture.control.fireTimers();
    assertThat(fixture.broker.consumers()).isZero();
  }

  @Test
  void shouldCloseLingeringTopicAtTopicLimit() {
    start(1, Config.defaults().with(LimitSettings.TOPICS, 2));
    RecordingClient client = client(Encoding.JSON);
    client.subscribe("a");
    client.subscribe("b");
    fixture.settle();
    client.subscribe("c");
    fixture.settle();
    client.unsubscribe("a");
    client.subscribe("d");
    fixture.settle();

    assertThat(withoutFlushes(client))
        .containsExactly(
            "subscribed a@0", "subscribed b@0", "refused c TOO_MANY_TOPICS", "subscribed d@0");
  }

  @Test
  void shouldLimitRequestsQueuedForControlThread() {
    start(1, Config.defaults().with(LimitSettings.TOPICS, 10));
    RecordingClient client = client(Encoding.JSON);
    for (int i = 0; i < 1000; i++) {
      client.subscribe("topic." + i);
      client.unsubscribe("topic." + i);
    }
    assertThat(fixture.control.waiting()).isLessThanOrEqualTo(20);
    fixture.settle();
    client.subscribe("last");
    fixture.settle();

    assertThat(withoutFlushes(client)).containsExactly("subscribed last@0");
  }

  @Test
  void shouldRefuseTopicWithoutChannelNumber() {
    start(1, Config.defaults().with(LimitSettings.CHANNELS, 1));
    RecordingClient client = client(Encoding.BINARY);
    client.subscribe("a");
    client.subscribe("b");
    fixture.settle();
    assertThat(withoutFlushes(client))
        .containsExactly("subscribed a@0", "refused b TOO_MANY_TOPICS");

    client.unsubscribe("a");
    fixture.settle();
    fixture.control.fireTimers();
    client.subscribe("b");
    fixture.settle();
    assertThat(client.events).contains("subscribed b@0");
  }

  @Test
  void shouldReportRefusalByBroker() {
    start(1);
    fixture.broker.refuse("a");
    RecordingClient client = client(Encoding.JSON);
    client.subscribe("a");
    fixture.settle();
    assertThat(withoutFlushes(client)).containsExactly("refused a FORBIDDEN");

    fixture.broker.refuse(null);
    client.subscribe("a");
    fixture.settle();
    assertThat(client.events).contains("subscribed a@0");
  }

  private void fill(String topic) {
    for (int i = 0; i < HubFixture.QUEUE_LIMIT; i++) {
      fixture.broker.publish(topic);
    }
  }

  private static final List<String> TOPICS = List.of("t.1", "t.2", "u.1");
  private static final List<String> NAMES = List.of("t.1", "t.2", "u.1", "t.*", ">");

  @RepeatedTest(20)
  void shouldReportEveryLoss() {
    runChaos();
  }

  @RepeatedTest(180)
  @Tag("full")
  void shouldReportEveryLossWithMoreSeeds() {
    runChaos();
  }

  private void runChaos() {
    long seed = System.nanoTime();
    try {
      start(2);
      new Chaos(new Random(seed)).run(1500);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  /** Random steps; what goes wrong shows in the clients, which check as they receive. */
  private final class Chaos {
    private final Random random;
    private final List<RecordingClient> clients = new ArrayList<>();

    Chaos(Random random) {
      this.random = random;
    }

    void run(int steps) {
      for (int i = 0; i < steps; i++) {
        step();
      }
      comeToRest();
      checkEverybodyIsCurrent();
      clients.forEach(RecordingClient::leave);
      fixture.settle();
      fixture.control.fireTimers();
      fixture.settle();
      assertThat(fixture.broker.consumers()).isZero();
    }

    private void step() {
      switch (random.nextInt(20)) {
        case 0 -> join();
        case 1 -> leave();
        case 2, 3, 4 -> subscribe();
        case 5, 6 -> unsubscribe();
        case 7 -> flood();
        case 8 -> fixture.broker.publishTooLarge(pick(TOPICS));
        case 9 -> loseOrConnect();
        case 10 -> fixture.broker.recoverOne();
        case 11 -> fixture.control.fireTimers();
        case 12, 13 -> fixture.control.runOne();
        case 14, 15, 16 -> pick(fixture.loops).runOne();
        default -> fixture.broker.publish(pick(TOPICS));
      }
    }

    private <T> T pick(List<T> from) {
      return from.get(random.nextInt(from.size()));
    }

    private void join() {
      if (clients.size() < 8) {
        clients.add(new RecordingClient(pick(fixture.shards), pick(Encoding.SLUICE)));
      }
    }

    private void leave() {
      if (!clients.isEmpty() && random.nextInt(4) == 0) {
        clients.remove(random.nextInt(clients.size())).leave();
      }
    }

    private void subscribe() {
      String name = pick(NAMES);
      if (!clients.isEmpty()) {
        RecordingClient client = pick(clients);
        if (!client.subscriptions.containsKey(name)) {
          client.subscribe(name);
        }
      }
    }

    private void unsubscribe() {
      String name = pick(NAMES);
      if (!clients.isEmpty()) {
        RecordingClient client = pick(clients);
        if (client.subscriptions.containsKey(name)) {
          client.unsubscribe(name);
        }
      }
    }

    private void flood() {
      String topic = pick(TOPICS);
      for (int i = random.nextInt(2 * HubFixture.QUEUE_LIMIT); i > 0; i--) {
        fixture.broker.publish(topic);
      }
    }

    private void loseOrConnect() {
      if (random.nextInt(4) == 0) {
        fixture.broker.lose();
      } else {
        fixture.broker.connect();
      }
    }

    private void comeToRest() {
      fixture.settle();
      fixture.broker.connect();
      for (int i = 0; i <= NAMES.size(); i++) {
        fixture.broker.recoverOne();
      }
      fixture.settle();
    }

    private void checkEverybodyIsCurrent() {
      for (String topic : TOPICS) {
        fixture.broker.publish(topic);
      }
      fixture.settle();
      for (RecordingClient client : clients) {
        for (String name : client.subscriptions.keySet()) {
          assertThat(client.isStanding(name)).as("%s is answered", name).isTrue();
          for (String topic : TOPICS) {
            if (io.sluice.gateway.protocol.TopicPattern.covers(name, topic)) {
              assertThat(client.isCurrent(name, topic, fixture.broker.sent(topic)))
                  .as("%s has the last of %s", name, topic)
                  .isTrue();
            }
          }
        }
      }
    }
  }

  private static Config withTopics(int most) {
    return Config.defaults().with(LimitSettings.TOPICS, most);
  }

  @Test
  void shouldCompletePreSubscriptionWhenConsumersAreActive() {
    fixture = new HubFixture(1);
    CompletableFuture<Integer> standing =
        fixture.hub.preSubscribe(List.of("a", "b"), LINGER_MS).toCompletableFuture();
    fixture.settle();
    assertThat(standing).isNotDone();

    fixture.broker.connect();
    fixture.settle();
    assertThat(standing).as("only the first consumer is active").isNotDone();
    fixture.broker.recoverOne();
    fixture.settle();
    assertThat(standing).isCompletedWithValue(2);
    assertThat(fixture.broker.opened()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void shouldNotCountRefusedTopicsAsActive() {
    start(1);
    fixture.broker.refuse("b");
    CompletableFuture<Integer> standing =
        fixture.hub.preSubscribe(List.of("a", "b", "c"), LINGER_MS).toCompletableFuture();
    fixture.settle();

    assertThat(standing).isCompletedWithValue(2);
  }

  @Test
  void shouldPreSubscribeUpToTopicLimit() {
    start(1, withTopics(2));
    CompletableFuture<Integer> standing =
        fixture.hub.preSubscribe(List.of("a", "b", "c"), LINGER_MS).toCompletableFuture();
    fixture.settle();

    assertThat(standing).isCompletedWithValue(2);
  }

  @Test
  void shouldCloseUnusedTopicInFavorOfSubscribedOne() {
    start(1, withTopics(1));
    fixture.hub.preSubscribe(List.of("a"), LINGER_MS);
    fixture.settle();
    RecordingClient client = client(Encoding.JSON);
    client.subscribe("b");
    fixture.settle();

    assertThat(withoutFlushes(client)).containsExactly("subscribed b@0");
    assertThat(fixture.broker.opened()).containsExactly("b");
  }

  @Test
  void shouldOpenTopicOnceIfClientSubscribesDuringPreSubscription() {
    start(1);
    RecordingClient client = client(Encoding.JSON);
    client.subscribe("a");
    fixture.settle();
    CompletableFuture<Integer> standing =
        fixture.hub.preSubscribe(List.of("a"), LINGER_MS).toCompletableFuture();
    fixture.settle();

    assertThat(standing).isCompletedWithValue(1);
    assertThat(fixture.broker.opened()).containsExactly("a");
  }

  @Test
  void shouldCompletePreSubscriptionWithoutTopics() {
    start(1);
    CompletableFuture<Integer> standing =
        fixture.hub.preSubscribe(List.of(), LINGER_MS).toCompletableFuture();
    fixture.settle();

    assertThat(standing).isCompletedWithValue(0);
  }

  @Test
  void shouldCloseUnusedPreSubscribedTopics() {
    start(1);
    fixture.hub.preSubscribe(List.of("a", "b"), LINGER_MS);
    fixture.settle();
    client(Encoding.JSON).subscribe("b");
    fixture.settle();
    fixture.control.fireTimers();
    fixture.settle();

    assertThat(fixture.broker.opened()).containsExactly("b");
  }
}
