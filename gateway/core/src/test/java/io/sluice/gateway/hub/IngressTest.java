package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Start;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Path from the JMS client to the log: mailboxes beyond their bounds, late messages. */
final class IngressTest {
  private static final int QUEUE = 16;
  private static final Config CONFIG = Config.defaults().with(LimitSettings.INGRESS_QUEUE, QUEUE);

  private final ManualExecutor sequencer = new ManualExecutor();
  private HubFixture node = new HubFixture(1, CONFIG, sequencer);

  private void restart(Config config) {
    node.close();
    node = new HubFixture(1, config, sequencer);
  }

  @AfterEach
  void close() {
    node.close();
    sequencer.shutdownNow();
  }

  private static Config channels(int limit) {
    return CONFIG.with(LimitSettings.CHANNELS, limit);
  }

  private RecordingClient subscribed(String topic) {
    RecordingClient client = new RecordingClient(node.shards.get(0), Encoding.JSON);
    client.subscribe(topic, Start.NOW, Delivery.ALL);
    settle();
    return client;
  }

  private void settle() {
    do {
      node.settle();
    } while (sequencer.runAll());
    node.settle();
  }

  private void connect() {
    node.broker.connect();
    settle();
  }

  private static List<String> events(RecordingClient client) {
    return client.events;
  }

  /** Four hops of a subscribe: control thread, opener, control thread, event loop. */
  @Test
  void shouldActivateTopicOnThreadOfSource() {
    node.close();
    node = HubFixture.withCallers(sequencer);
    RecordingClient client = subscribed("new");
    assertThat(client.events).isEmpty();

    node.broker.connect();
    node.settle();
    assertThat(client.events).containsExactly("subscribed new@0", "live");
    assertThat(sequencer.runAll()).isFalse();
  }

  @Test
  void shouldReportGapWhenQueueIsFull() {
    connect();
    RecordingClient hot = subscribed("hot");
    RecordingClient quiet = subscribed("quiet");
    for (int i = 0; i < QUEUE + 5; i++) {
      node.broker.publish("hot");
    }
    node.broker.publish("quiet");
    settle();
    node.broker.publish("hot");
    settle();

    assertThat(events(hot)).filteredOn(event -> event.startsWith("hot=")).hasSize(QUEUE + 1);
    assertThat(events(hot)).filteredOn(event -> event.startsWith("gap")).hasSize(1);
    assertThat(events(hot))
        .containsSubsequence("hot=" + QUEUE + "@" + QUEUE, "gap hot overload", "hot=22@18");
    assertThat(events(quiet)).contains("quiet=1@1").noneMatch(event -> event.startsWith("gap"));
    assertThat(node.dropped("ingress-queue-full")).isEqualTo(5);
  }

  @Test
  void shouldReportSecondGapToClientThatSubscribedAfterFirst() {
    connect();
    subscribed("hot");
    for (int i = 0; i < QUEUE + 1; i++) {
      node.broker.publish("hot");
    }
    settle();
    RecordingClient later = subscribed("hot");
    for (int i = 0; i < QUEUE + 1; i++) {
      node.broker.publish("hot");
    }
    settle();

    assertThat(events(later)).filteredOn(event -> event.startsWith("gap")).hasSize(1);
  }

  @Test
  void shouldAdmitSingleMessageLargerThanQueue() {
    connect();
    RecordingClient client = subscribed("t");
    byte[] large = new byte[CONFIG.get(LimitSettings.INGRESS_QUEUE_BYTES).intValue() + 1];
    Arrays.fill(large, (byte) '7');
    Message message = new Message("t", 7, 1, PayloadKind.TEXT, large, null);
    node.broker.listener("t").onMessage(message, DeliveryInfo.of(1));
    node.broker.listener("t").onMessage(message, DeliveryInfo.of(2));

    assertThat(node.dropped("ingress-queue-full")).as("the second one").isEqualTo(1);
    client.leave();
    settle();
  }

  @Test
  void shouldExcludeTopicFromCaughtUpAfterLateMessage() {
    connect();
    RecordingClient lagging = subscribed("lagging");
    RecordingClient quiet = subscribed("quiet");
    long accepted = node.broker.nextSequence();
    long provenMs = prove(() -> {});
    assertThat(provenMs(lagging, "lagging")).isEqualTo(provenMs);

    long later = prove(() -> node.broker.deliver("lagging", accepted));
    assertThat(provenMs(lagging, "lagging")).as("it lags").isEqualTo(provenMs);
    assertThat(provenMs(quiet, "quiet")).isEqualTo(later);

    long again = prove(() -> {});
    assertThat(provenMs(lagging, "lagging")).as("it lags no more").isEqualTo(again);
  }

  @Test
  void shouldNotConfirmAnIdleTopicAfterALateCanary() {
    connect();
    RecordingClient client = subscribed("t");
    long provenMs = prove(() -> {});
    node.hub.source(0).onCanary(node.broker.nextSequence(), 60_000);
    prove(() -> {});
    assertThat(provenMs(client, "t")).as("on a congested connection").isEqualTo(provenMs);
    node.pass(11_000);
    long later = prove(() -> {});
    assertThat(provenMs(client, "t")).isEqualTo(later);
  }

  @Test
  void shouldExcludeTopicFromProofAfterUnnumberedMessage() {
    connect();
    RecordingClient client = subscribed("t");
    long provenMs = prove(() -> {});
    node.broker.deliver("t", Broker.NO_SEQUENCE);
    settle();
    prove(() -> {});
    node.pass(9_000);
    prove(() -> {});
    assertThat(provenMs(client, "t")).as("others may wait behind it").isEqualTo(provenMs);
    node.pass(2_000);
    long later = prove(() -> {});
    assertThat(provenMs(client, "t")).isEqualTo(later);
  }

  @Test
  void shouldNotConfirmMessagesQueuedInMailbox() {
    connect();
    RecordingClient client = subscribed("t");
    long provenMs = prove(() -> {});
    node.broker.probe();
    node.broker.publish("t");
    node.pass(1);
    node.hub.source(0).onProof(node.clock.monoMs());
    node.settle();
    assertThat(provenMs(client, "t")).isEqualTo(provenMs);
    settle();
    assertThat(provenMs(client, "t")).as("until the next proof").isEqualTo(provenMs);
    long later = prove(() -> {});
    assertThat(provenMs(client, "t")).isEqualTo(later);
  }

  @Test
  void shouldLimitProofOfNewSubscriberOfLaggingTopic() {
    connect();
    RecordingClient first = subscribed("t");
    long accepted = node.broker.nextSequence();
    long provenMs = prove(() -> {});
    prove(() -> node.broker.deliver("t", accepted));
    first.leave();
    settle();
    RecordingClient second = subscribed("t");
    assertThat(provenMs(second, "t")).isEqualTo(provenMs);
  }

  // A client that began 1 s after the message was accepted, at a node whose clock is 3 s behind.
  @Test
  void shouldNotReplayLateMessagesFromBeforeStart() {
    connect();
    subscribed("t");
    node.pass(60_000);
    long beganMs = node.clock.wallMs() - 2_000;
    long accepted = node.broker.nextSequence();
    prove(() -> {});
    node.pass(4_000);
    node.broker.deliver("t", accepted);
    node.pass(100);
    node.broker.publish("t");
    settle();
    assertThat(resumes(beganMs, 2)).as("4 s before the start").isFalse();
    assertThat(resumes(beganMs - 4_000, 2)).as("behind the start").isTrue();
  }

  @Test
  void shouldReuseNumberOfLingeringTopic() {
    restart(channels(2));
    connect();
    RecordingClient client = subscribed("a");
    client.subscribe("b", Start.NOW, Delivery.ALL);
    settle();
    client.unsubscribe("a");
    settle();
    client.subscribe("c", Start.NOW, Delivery.ALL);
    settle();
    assertThat(events(client)).contains("subscribed c@0");
    client.subscribe("d", Start.NOW, Delivery.ALL);
    settle();
    assertThat(events(client)).endsWith("refused d TOO_MANY_TOPICS");
  }

  @Test
  void shouldQueueTopicUntilNumberIsReleased() {
    restart(channels(2).with(LimitSettings.TOPICS, 2));
    connect();
    RecordingClient client = subscribed("a");
    client.subscribe("b", Start.NOW, Delivery.ALL);
    settle();
    client.unsubscribe("a");
    client.subscribe("c", Start.NOW, Delivery.ALL);
    settle();
    assertThat(events(client)).contains("subscribed c@0");
  }

  @Test
  void shouldRemoveUnsubscribedTopicFromNumberQueue() {
    restart(channels(1));
    connect();
    RecordingClient client = subscribed("a");
    client.unsubscribe("a");
    client.subscribe("b", Start.NOW, Delivery.ALL);
    node.settle(); // a is closed, but its mailbox has not run
    client.unsubscribe("b");
    settle();
    assertThat(node.broker.opened()).isEmpty();
    client.subscribe("c", Start.NOW, Delivery.ALL);
    settle();
    assertThat(events(client)).contains("subscribed c@0").doesNotContain("subscribed b@0");
  }

  @Test
  void shouldReportLiveAfterQueuedCommandsOnly() {
    connect();
    RecordingClient client = subscribed("t");
    node.broker.lose();
    settle();
    node.broker.connect();
    node.settle();
    assertThat(events(client)).doesNotContain("live");
    settle();
    assertThat(events(client)).endsWith("gap t broker-lost", "live");
  }

  @Test
  void shouldNotReplyWhileBrokerIsLost() {
    connect();
    RecordingClient client = new RecordingClient(node.shards.get(0), Encoding.JSON);
    client.subscribe("t", Start.NOW, Delivery.ALL);
    node.settle(); // the consumer is active, but the mailbox has not run
    node.broker.lose();
    node.settle();
    assertThat(events(client)).containsExactly("stale");
    settle();
    RecordingClient second = new RecordingClient(node.shards.get(0), Encoding.JSON);
    second.subscribe("t", Start.NOW, Delivery.ALL);
    settle();
    assertThat(events(client)).containsExactly("stale");
    assertThat(events(second)).isEmpty();

    connect();
    assertThat(events(client)).endsWith("subscribed t@1", "live");
    assertThat(events(second)).containsExactly("subscribed t@1", "live");
  }

  @Test
  void shouldDeliverEarlierMessagesAfterStale() {
    connect();
    RecordingClient client = subscribed("t");
    node.broker.publish("t");
    node.broker.lose();
    node.settle();
    assertThat(events(client)).endsWith("stale");
    settle();
    assertThat(events(client)).containsSubsequence("stale", "t=1@1");
    connect();
    assertThat(events(client)).containsSubsequence("t=1@1", "gap t broker-lost", "live");
  }

  @Test
  void shouldReportAGapForAllTopicsWhenMessagesMayBeMissing() {
    connect();
    RecordingClient one = subscribed("t");
    RecordingClient other = subscribed("u");
    node.hub.source(0).onMessagesMissing();
    settle();
    assertThat(events(one)).endsWith("gap t broker-lost");
    assertThat(events(other)).endsWith("gap u broker-lost");
  }

  @Test
  void shouldRetryFailedGapReportBeforeNextMessage() {
    connect();
    RecordingClient client = subscribed("t");
    node.broker.publish("t");
    settle();
    node.broker.publishTooLarge("t");
    node.clock.failure = new OutOfMemoryError("for the test");
    sequencer.runAll();
    node.settle();
    assertThat(events(client)).noneMatch(event -> event.startsWith("gap"));

    node.broker.publish("t");
    settle();
    assertThat(events(client)).containsSubsequence("t=1@1", "gap t too-large", "t=3@3");
    node.broker.publish("t");
    settle();
    assertThat(events(client)).filteredOn(event -> event.startsWith("gap")).hasSize(1);
  }

  @Test
  void shouldProveNothingUntilFailedGapReportIsRetried() {
    connect();
    RecordingClient client = subscribed("t");
    long provenMs = prove(() -> {});
    node.broker.publishTooLarge("t");
    node.clock.failure = new OutOfMemoryError("for the test");
    sequencer.runAll();

    prove(() -> {});
    assertThat(provenMs(client, "t")).isEqualTo(provenMs);
    assertThat(events(client)).filteredOn(event -> event.startsWith("gap")).hasSize(1);
    long later = prove(() -> {});
    assertThat(provenMs(client, "t")).isEqualTo(later);
  }

  @Test
  void shouldReportNotReadyWhileCanariesAreLate() {
    connect();
    for (int round = 0; round < 3; round++) {
      prove(() -> node.broker.canary(6_000));
      node.pass(10_000);
    }
    assertThat(node.hub.lagProblem()).contains("canaries take 6 s");
    prove(() -> {});
    assertThat(node.hub.lagProblem()).isNull();
  }

  @Test
  void shouldProveDeliveryAlthoughMessagesAreLateByDesign() {
    connect();
    RecordingClient client = subscribed("t");
    subscribed("u");
    long sent = node.broker.nextSequence();
    long dueMs = node.clock.wallMs() + 60_000;
    prove(() -> {});
    node.pass(60_000);
    long scheduled =
        prove(() -> node.broker.deliver("t", new DeliveryInfo(sent, 4, true, dueMs, false, false)));
    assertThat(provenMs(client, "t")).as("a scheduled message").isEqualTo(scheduled);
    long committed =
        prove(
            () -> {
              node.broker.publish("t");
              node.broker.deliver("t", sent);
            });
    assertThat(provenMs(client, "t")).as("a message after a newer one").isEqualTo(committed);
    prove(
        () -> {
          node.broker.deliver("t", new DeliveryInfo(sent, 4, false, 0, false, true));
        });
    assertThat(provenMs(client, "t")).as("a slow one alone").isEqualTo(committed);
    assertThat(node.hub.lagProblem()).isNull();
  }

  @Test
  void shouldNotTakeLowerPriorityForLateByDesign() {
    connect();
    RecordingClient client = subscribed("t");
    long low = node.broker.nextSequence();
    long provenMs = prove(() -> {});
    node.pass(60_000);
    prove(
        () -> {
          node.broker.publish("t");
          node.broker.deliver("t", new DeliveryInfo(low, 0, false, 0, false, false));
        });
    assertThat(provenMs(client, "t")).isEqualTo(provenMs);
  }

  /** Two canaries return; something happens in between. Returns the proven time. */
  private long prove(Runnable between) {
    long sentMs = node.clock.monoMs();
    node.broker.probe();
    between.run();
    settle();
    node.pass(1);
    node.hub.source(0).onProof(sentMs);
    settle();
    return sentMs;
  }

  private boolean resumes(long sinceMs, long identity) {
    Start position = new Start.Position(77, 1000, new long[] {identity}, sinceMs, 0);
    RecordingClient client = new RecordingClient(node.shards.get(0), Encoding.JSON);
    client.subscribe("t", position, Delivery.ALL);
    settle();
    return client.admissions.get("t").recovered();
  }

  private static long provenMs(RecordingClient client, String topic) {
    return client.subscriptions.get(topic).provenMs();
  }
}
