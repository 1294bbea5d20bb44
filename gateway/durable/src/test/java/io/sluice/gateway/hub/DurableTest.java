package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Arrival;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.journal.Journal;
import io.sluice.gateway.journal.JournalLimits;
import io.sluice.gateway.journal.TopicJournal;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Start;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handling of stored messages by a durable interest. */
final class DurableTest {
  private static final long SPREAD_MS = 1_000;
  private static final String PATTERN = "s.>";
  private static final RetainedMessages ALL = new RetainedMessages(true, true);
  private static final RetainedMessages STORE = new RetainedMessages(true, false);
  private static final RetainedMessages NOTHING = new RetainedMessages(false, false);
  private static final Config CONFIG =
      Config.defaults()
          .with(BrokerSettings.DURABLE, List.of(PATTERN))
          .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(SPREAD_MS))
          .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(100));
  private static final JournalLimits LIMITS =
      new JournalLimits(1_000, 1 << 20, Duration.ofDays(36_500), 1 << 30);

  @TempDir private Path folder;
  private Journal journal;
  private HubFixture node;
  private boolean ordered = true;
  private int sent;
  private long consumer;

  private void start(RetainedMessages kept) throws Exception {
    start(CONFIG, kept);
  }

  private void start(Config config, RetainedMessages kept) throws Exception {
    journal = Journal.open(folder, LIMITS);
    node = new HubFixture(1, config, journal);
    node.broker.ordered = ordered;
    node.hub.restore();
    node.hub.start();
    node.settle();
    comeBack(kept);
  }

  private void restart(RetainedMessages kept) throws Exception {
    stop();
    start(kept);
  }

  @AfterEach
  void stop() throws Exception {
    if (node != null) {
      node.settle();
      node.assertNothingLeaked();
      node.close();
      journal.close();
      node = null;
    }
  }

  /** Connects the broker and activates the consumer. */
  private void comeBack(RetainedMessages kept) {
    DurableListener durable = durable();
    if (durable != null) {
      assertThat(durable.onReconnected(kept)).isTrue();
      consumer = durable.onActive();
      durable.onRound(consumer, true);
    }
    node.broker.connect();
    node.settle();
  }

  private void loseAndComeBack(RetainedMessages kept) {
    node.broker.lose();
    node.settle();
    comeBack(kept);
  }

  private DurableListener durable() {
    return node.broker.durable.get(PATTERN);
  }

  private Arrival next(String topic) {
    sent++;
    return arrival(topic, sent, node.clock.wallMs());
  }

  private static Arrival arrival(String topic, int number, long timeMs) {
    byte[] payload = String.valueOf(number).getBytes(StandardCharsets.US_ASCII);
    Message message = new Message(topic, number, timeMs, PayloadKind.TEXT, payload, null);
    return new Arrival(message, null, true, false);
  }

  private void arrive(Arrival... arrivals) {
    assertThat(durable().onArrivals(consumer, Arrays.asList(arrivals))).isTrue();
    durable().onRound(consumer, true);
    node.settle();
  }

  /** Drains the retained messages and lets time pass without late ones. */
  private void becomeOnTime() {
    node.pass(SPREAD_MS);
    durable().onRound(consumer, true);
    durable().onRound(consumer, true);
    node.settle();
  }

  /** Two canaries return, and the durable interest has passed on what came before the first. */
  private void prove(long sentMs) {
    node.broker.probe();
    node.pass(1);
    durable().onRound(consumer, true);
    durable().onRound(consumer, true);
    node.hub.source(0).onProof(sentMs);
    node.settle();
  }

  private static long provenMs(RecordingClient client) {
    return client.subscriptions.get("s.1").provenMs();
  }

  private RecordingClient subscribed(String topic, Start start) {
    RecordingClient client = new RecordingClient(node.shards.get(0), Encoding.JSON);
    client.subscribe(topic, start, Delivery.ALL);
    node.settle();
    return client;
  }

  private static List<String> events(RecordingClient client) {
    return client.events.stream().filter(event -> !event.equals("flush")).toList();
  }

  private Start.Position position(RecordingClient client, String topic, long... ids) {
    long epoch = client.admissions.get(topic).epoch();
    return new Start.Position(epoch, ids.length, ids, 1, 0);
  }

  private boolean recovers(String topic, Start.Position position) {
    return Boolean.TRUE.equals(subscribed(topic, position).admissions.get(topic).recovered());
  }

  @ParameterizedTest
  @ValueSource(strings = {"s.1", PATTERN})
  void shouldForwardStoredMessages(String topic) throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed(topic, Start.NOW);
    arrive(next("s.1"), next("s.1"));
    assertThat(events(client)).containsExactly("subscribed " + topic + "@0", "s.1=1@1", "s.1=2@2");
    assertThat(journal.topic(PATTERN).messages()).isEqualTo(2);
  }

  @Test
  void shouldDropRedeliveredMessages() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    Arrival first = next("s.1");
    Arrival second = next("s.1");
    arrive(first, second);
    loseAndComeBack(ALL);
    arrive(first, second, next("s.1"));
    assertThat(events(client))
        .containsExactly("subscribed s.1@0", "s.1=1@1", "s.1=2@2", "stale", "live", "s.1=3@3");
    restart(ALL);
    RecordingClient after = subscribed("s.1", Start.NOW);
    arrive(second, arrival("s.1", 3, node.clock.wallMs()), next("s.1"));
    assertThat(events(after)).containsExactly("subscribed s.1@3", "s.1=4@4");
  }

  @Test
  void shouldDetectRedeliveryBeyondLogLength() throws Exception {
    Config shortLog = CONFIG.with(HistorySettings.MESSAGES, 1);
    start(shortLog, NOTHING);
    List<Arrival> round = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      round.add(next("s.1"));
    }
    arrive(round.toArray(Arrival[]::new));
    stop();
    start(shortLog, ALL);
    RecordingClient client = subscribed("s.1", Start.NOW);
    arrive(round.toArray(Arrival[]::new));
    arrive(next("s.1"));
    assertThat(client.events).filteredOn(event -> event.startsWith("s.1=")).hasSize(1);
    assertThat(JournalLimits.of(shortLog).messages()).isGreaterThan(64);
  }

  @Test
  void shouldReportAGapBeforeARedeliveryThatTheJournalMayHaveEvicted() throws Exception {
    start(NOTHING);
    Arrival evicted = next("s.1");
    arrive(evicted);
    node.pass(2 * SPREAD_MS);
    for (long left = LIMITS.messages(); left > 0; left--) {
      arrive(next("s.1"));
    }
    restart(ALL);
    node.pass(4 * SPREAD_MS); // the fixture's clock starts again
    RecordingClient client = subscribed("s.1", Start.NOW);
    client.anyOrder = true;
    arrive(redelivered(next("s.1")), redelivered(evicted));
    assertThat(events(client))
        .endsWith("s.1=1002@1001", "gap s.1 broker-lost", "s.1=1@1003")
        .hasSize(4);
  }

  @Test
  void shouldNotDropMessagesWithoutName() throws Exception {
    start(NOTHING);
    Message named = next("s.1").message();
    Arrival nameless = new Arrival(named.withIdentity(Message.NO_IDENTITY), null, true, false);
    arrive(nameless, nameless);
    assertThat(journal.topic(PATTERN).messages()).isEqualTo(2);
  }

  private static Arrival redelivered(Arrival first) {
    return new Arrival(first.message(), null, true, true);
  }

  @Test
  void shouldForwardACopyUnderTheSameId() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    client.anyOrder = true;
    Arrival copied = next("s.1");
    arrive(copied, copied);
    assertThat(events(client)).containsExactly("subscribed s.1@0", "s.1=1@1", "s.1=1@2");
    assertThat(client.ids).doesNotHaveDuplicates();
  }

  @Test
  void shouldReportAGapForACopyThatMayBeARedelivery() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    Arrival copied = next("s.1");
    arrive(copied); // the second copy is lost with the connection
    loseAndComeBack(ALL);
    arrive(redelivered(copied), redelivered(copied));
    assertThat(events(client))
        .containsExactly("subscribed s.1@0", "s.1=1@1", "stale", "live", "gap s.1 broker-lost");
  }

  @Test
  void shouldReportAGapForACopyThatIsMarkedAsRedelivered() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    Arrival copied = next("s.1");
    arrive(copied, redelivered(copied));
    assertThat(events(client))
        .containsExactly("subscribed s.1@0", "s.1=1@1", "gap s.1 broker-lost");
  }

  @Test
  void shouldReportAGapForAMessageThatRepeatsAnIdOfAnEarlierRun() throws Exception {
    start(NOTHING);
    Arrival constant = next("s.1");
    arrive(constant, constant);
    restart(ALL);
    RecordingClient client = subscribed("s.1", Start.NOW);
    arrive(constant);
    assertThat(events(client)).containsExactly("subscribed s.1@2", "gap s.1 broker-lost");
  }

  private static Arrival withIdOf(Arrival first, Arrival other) {
    return new Arrival(other.message().withIdentity(first.message().identity()), null, true, false);
  }

  @Test
  void shouldForwardAnotherMessageThatRepeatsTheOnlyIdOfAnEarlierRun() throws Exception {
    start(NOTHING);
    Arrival constant = next("s.1");
    arrive(constant);
    restart(ALL);
    RecordingClient client = subscribed("s.1", Start.NOW);
    client.anyOrder = true;
    Arrival second = withIdOf(constant, next("s.1"));
    Arrival third = withIdOf(constant, next("s.1"));
    arrive(second, third);
    assertThat(events(client)).containsExactly("subscribed s.1@1", "s.1=2@2", "s.1=3@3");
    loseAndComeBack(ALL);
    arrive(second);
    assertThat(events(client)).endsWith("stale", "live", "gap s.1 broker-lost");
  }

  // The broker stored the first attempt, and was killed before it confirmed it.
  @Test
  void shouldDropTheSecondAttemptOfAPublisher() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    long sentMs = node.clock.wallMs();
    arrive(arrival("s.1", 1, sentMs));
    loseAndComeBack(ALL);
    arrive(arrival("s.1", 1, sentMs + 5_000));
    assertThat(events(client)).containsExactly("subscribed s.1@0", "s.1=1@1", "stale", "live");
  }

  @Test
  void shouldReportAGapBeforeAnotherRedeliveryThatRepeatsTheOnlyIdOfAnEarlierRun()
      throws Exception {
    start(NOTHING);
    Arrival constant = next("s.1");
    arrive(constant);
    restart(ALL);
    RecordingClient client = subscribed("s.1", Start.NOW);
    client.anyOrder = true;
    arrive(redelivered(withIdOf(constant, next("s.1"))));
    assertThat(events(client))
        .containsExactly("subscribed s.1@1", "gap s.1 broker-lost", "s.1=2@3");
  }

  @Test
  void shouldReportAGapBeforeARedeliveryWithoutId() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    Message message = next("s.1").message().withIdentity(Message.NO_IDENTITY);
    arrive(new Arrival(message, null, true, false));
    loseAndComeBack(ALL);
    arrive(new Arrival(message, null, true, true));
    assertThat(events(client))
        .containsExactly(
            "subscribed s.1@0", "s.1=1@1", "stale", "live", "gap s.1 broker-lost", "s.1=1@3");
  }

  @Test
  void shouldDropRedeliveryAfterTheRefutationOfIds() throws Exception {
    start(NOTHING);
    node.broker.identify(IdentityState.REFUTED);
    RecordingClient client = subscribed("s.1", Start.NOW);
    Arrival first = next("s.1");
    arrive(first);
    restart(ALL);
    long id = Long.parseUnsignedLong(client.ids.get(0), 16);
    assertThat(id).as("that of another node").isNotEqualTo(first.message().identity());
    RecordingClient back = subscribed("s.1", position(client, "s.1", id));
    assertThat(back.admissions.get("s.1").recovered()).isTrue();
    arrive(redelivered(first), next("s.1"));
    assertThat(events(back)).containsExactly("subscribed s.1@1", "s.1=2@2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s.1", "s.*", PATTERN})
  void shouldResumeAClientAfterTheRestart(String topic) throws Exception {
    start(NOTHING);
    RecordingClient before = subscribed(topic, Start.NOW);
    arrive(next("s.1"), next("s.1"), next("s.1"));
    Start.Position position = position(before, topic, 1, 2);
    restart(ALL);
    arrive(next("s.1"));
    RecordingClient back = subscribed(topic, position);
    assertThat(back.admissions.get(topic).recovered()).isTrue();
    assertThat(events(back)).containsExactly("subscribed " + topic + "@4", "s.1=3@3", "s.1=4@4");
  }

  @Test
  void shouldResumeAfterLatestMessageOfInterruptedReplay() throws Exception {
    start(NOTHING);
    RecordingClient before = subscribed("s.1", Start.NOW);
    arrive(next("s.1"), next("s.1"), next("s.1"));
    Start.Position position = position(before, "s.1", 3, 1);
    restart(ALL);
    RecordingClient back = subscribed("s.1", position);
    assertThat(events(back)).containsExactly("subscribed s.1@3", "s.1=2@2", "s.1=3@3");
  }

  @Test
  void shouldResumeByCaughtUpTimeOnly() throws Exception {
    start(NOTHING);
    RecordingClient before = subscribed("s.2", Start.NOW);
    long epoch = before.admissions.get("s.2").epoch();
    arrive(next("s.1"));
    node.pass(5_000);
    long caughtUpMs = node.clock.wallMs();
    node.pass(5_000);
    Arrival missed = next("s.2");
    arrive(missed);
    long passedMs = 11_000;
    stop();
    journal = Journal.open(folder, LIMITS);
    node = new HubFixture(1, CONFIG, journal);
    node.clock.pass(passedMs);
    node.hub.restore();
    node.hub.start();
    node.settle();
    comeBack(ALL);
    Start.Position quiet =
        new Start.Position(epoch, 0, new long[0], caughtUpMs - 4_000, caughtUpMs);
    RecordingClient back = subscribed("s.2", quiet);
    assertThat(back.admissions.get("s.2").recovered()).isTrue();
    assertThat(events(back)).containsExactly("subscribed s.2@1", "s.2=2@1");
  }

  @Test
  void shouldNotResumePatternWithoutOrderAcrossTopics() throws Exception {
    ordered = false;
    start(NOTHING);
    RecordingClient exact = subscribed("s.1", Start.NOW);
    RecordingClient pattern = subscribed(PATTERN, Start.NOW);
    arrive(next("s.1"));
    Start.Position exactly = position(exact, "s.1", 1);
    Start.Position roughly = position(pattern, PATTERN, 1);
    loseAndComeBack(ALL);
    assertThat(events(exact)).containsExactly("subscribed s.1@0", "s.1=1@1", "stale", "live");
    assertThat(events(pattern))
        .containsExactly("subscribed s.>@0", "s.1=1@1", "stale", "gap s.> broker-lost", "live");
    restart(ALL);
    assertThat(recovers("s.1", exactly)).isTrue();
    assertThat(recovers(PATTERN, roughly)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"s.1", PATTERN})
  void shouldReportAGapIfTheBrokerHasLostMessages(String topic) throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed(topic, Start.NOW);
    arrive(next("s.1"));
    Start.Position before = position(client, topic, 1);
    loseAndComeBack(NOTHING);
    assertThat(events(client)).contains("gap " + topic + " broker-lost");
    assertThat(recovers(topic, before)).isFalse();
    restart(ALL);
    assertThat(recovers(topic, before)).as("the loss is remembered").isFalse();
  }

  @Test
  void shouldReportLossDetectedByEarlierAttempt() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    arrive(next("s.1"));
    node.broker.lose();
    node.settle();
    assertThat(durable().onReconnected(NOTHING))
        .as("the connection breaks before it is ready")
        .isTrue();
    comeBack(ALL);
    assertThat(events(client)).contains("gap s.1 broker-lost");
  }

  @Test
  void shouldIgnoreReplacedConsumer() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    long old = consumer;
    loseAndComeBack(ALL);
    assertThat(durable().onArrivals(old, List.of(next("s.1")))).isFalse();
    node.settle();
    assertThat(events(client)).containsExactly("subscribed s.1@0", "stale", "live");
  }

  @Test
  void shouldAcceptTimeOfAnotherNodeOnlyUpToOwnProof() throws Exception {
    start(NOTHING);
    becomeOnTime();
    subscribed("s.1", Start.NOW);
    long timeMs = node.clock.wallMs() + 10_000;
    node.pass(20_000);
    Start.Position stranger =
        new Start.Position(0x1234567812345678L, 9, new long[0], timeMs - 5_000, timeMs);
    assertThat(recovers("s.1", stranger)).as("the link may be dead since").isFalse();
    prove(timeMs + 5_000);
    assertThat(recovers("s.1", stranger)).as("the broker delivers").isTrue();
  }

  @Test
  void shouldStayLateUntilBacklogIsConsumed() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    node.pass(10 * SPREAD_MS);
    node.broker.probe();
    for (int round = 0; round < 3; round++) {
      node.pass(1);
      durable().onRound(consumer, false);
    }
    node.hub.source(0).onProof(node.clock.monoMs());
    node.settle();
    assertThat(provenMs(client)).isZero();
    becomeOnTime();
    prove(node.clock.monoMs());
    assertThat(provenMs(client)).isPositive();
  }

  @Test
  void shouldReportGapIfNonPersistentMessagesAreLost() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    arrive(next("s.1"));
    loseAndComeBack(STORE);
    assertThat(events(client)).as("all were persistent").noneMatch(e -> e.startsWith("gap"));
    Arrival fleeting = next("s.1");
    arrive(new Arrival(fleeting.message(), null, false, false));
    loseAndComeBack(ALL);
    assertThat(events(client)).as("it was not restarted").noneMatch(e -> e.startsWith("gap"));
    restart(ALL);
    RecordingClient after = subscribed("s.1", Start.NOW);
    loseAndComeBack(STORE);
    assertThat(events(after)).contains("gap s.1 broker-lost");
  }

  /** A consumer of its own would miss what the broker stores during an outage. */
  @Test
  void shouldFeedWarmTopicsOfTheDurablePattern() throws Exception {
    start(CONFIG.with(HistorySettings.WARM, List.of("s.*")), NOTHING);
    RecordingClient client = subscribed("s.*", Start.NOW);
    arrive(next("s.1"));
    loseAndComeBack(ALL);
    arrive(next("s.1"));
    assertThat(events(client))
        .containsExactly("subscribed s.*@0", "s.1=1@1", "stale", "live", "s.1=2@2");
    node.hub.warm(List.of("s.2"));
    node.settle();
    RecordingClient other = subscribed("s.2", Start.NOW);
    loseAndComeBack(ALL);
    arrive(next("s.2"));
    assertThat(events(other)).containsExactly("subscribed s.2@0", "stale", "live", "s.2=3@1");
  }

  @Test
  void shouldStoreGapOfDroppedMessage() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    arrive(next("s.1"), new Arrival(null, GapReason.TOO_LARGE, true, false), next("s.1"));
    assertThat(events(client)).contains("gap s.1 too-large", "s.1=2@3");
    Start.Position before = position(client, "s.1", 1);
    Start.Position behind = position(client, "s.1", 1, 2);
    restart(ALL);
    assertThat(recovers("s.1", before)).isFalse();
    assertThat(recovers("s.1", behind)).isTrue();
  }

  @Test
  void shouldExcludeLateInterestFromProofs() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    prove(node.clock.monoMs());
    assertThat(provenMs(client)).as("the broker may have kept something").isZero();
    becomeOnTime();

    long sentMs = node.clock.monoMs();
    node.broker.probe();
    node.hub.source(0).onProof(sentMs);
    node.settle();
    assertThat(provenMs(client)).as("a round is under way").isZero();
    prove(sentMs);
    assertThat(provenMs(client)).isEqualTo(sentMs);

    arrive(arrival("s.1", 7, node.clock.wallMs() - SPREAD_MS - 1));
    prove(node.clock.monoMs());
    assertThat(provenMs(client)).as("one came late").isEqualTo(sentMs);
  }

  @Test
  void shouldJudgeMessagesWithoutATimeByTheirNumbers() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    becomeOnTime();
    long sentMs = node.clock.monoMs();
    arrive(numbered(1, Long.MAX_VALUE));
    prove(sentMs);
    assertThat(provenMs(client)).as("newer than all canaries").isEqualTo(sentMs);

    node.pass(SPREAD_MS);
    arrive(numbered(2, 0));
    prove(node.clock.monoMs());
    assertThat(provenMs(client)).as("older than a canary").isEqualTo(sentMs);
    becomeOnTime();
    prove(node.clock.monoMs());
    long latestMs = provenMs(client);
    assertThat(latestMs).isGreaterThan(sentMs);

    arrive(numbered(3, Broker.NO_SEQUENCE));
    prove(node.clock.monoMs());
    assertThat(provenMs(client)).as("without a number").isEqualTo(latestMs);
  }

  private static Arrival numbered(int number, long sequence) {
    Message message = arrival("s.1", number, 0).message();
    DeliveryInfo delivery = new DeliveryInfo(sequence, 4, false, 0, false, false);
    return new Arrival(message, null, true, delivery, null);
  }

  @Test
  void shouldExcludeInterestFromProofsAfterRedeliveryOfOldMessage() throws Exception {
    start(NOTHING);
    Arrival known = next("s.1");
    arrive(known);
    becomeOnTime();
    node.pass(10 * SPREAD_MS);
    arrive(known);
    RecordingClient client = subscribed("s.1", Start.NOW);
    long sentMs = node.clock.monoMs();
    prove(sentMs);
    assertThat(provenMs(client)).as("more may be kept behind it").isLessThan(sentMs);
    becomeOnTime();
    prove(sentMs);
    assertThat(provenMs(client)).isEqualTo(sentMs);
  }

  @Test
  void shouldNotRecoverPositionOfAnotherNodeWhileLate() throws Exception {
    start(NOTHING);
    node.pass(10_000);
    Arrival known = next("s.1");
    arrive(known);
    long stranger = 0x1234567812345678L;
    Start.Position position = new Start.Position(stranger, 9, new long[] {1}, 1, 0);
    becomeOnTime();
    assertThat(recovers("s.1", position)).as("it came before").isFalse();
    node.pass(10_000);
    arrive(next("s.1"));
    Start.Position later = new Start.Position(stranger, 9, new long[] {2}, 1, 0);
    assertThat(recovers("s.1", later)).isTrue();
    arrive(arrival("s.1", 3, node.clock.wallMs() - 10 * SPREAD_MS));
    assertThat(recovers("s.1", later)).as("late again").isFalse();
    RecordingClient own = subscribed("s.1", Start.NOW);
    assertThat(
            recovers(
                "s.1", new Start.Position(own.admissions.get("s.1").epoch(), 2, new long[0], 1, 0)))
        .as("its own offset")
        .isTrue();
  }

  @Test
  void shouldDeleteObsoleteDurableSubscription() throws Exception {
    start(NOTHING);
    arrive(next("s.1"));
    stop();
    start(CONFIG.with(BrokerSettings.DURABLE, List.of()), NOTHING);
    assertThat(node.broker.durable).isEmpty();
    assertThat(node.broker.unsubscribed).containsOnlyKeys(PATTERN);
    assertThat(journal.names()).containsExactly(PATTERN);
    node.broker.unsubscribed.get(PATTERN).run();
    assertThat(journal.names()).isEmpty();
  }

  @Test
  void shouldSendSameSnapshotAfterRestart() throws Exception {
    start(NOTHING);
    arrive(next("s.1"), next("s.2"), next("s.1"));
    restart(ALL);
    assertThat(events(subscribed(PATTERN, Start.SNAPSHOT)))
        .containsExactly("subscribed s.>@3", "s.2=2@2", "s.1=3@3");
  }

  @Test
  void shouldReplaceCorruptLogAndReportGap() throws Exception {
    start(NOTHING);
    RecordingClient client = subscribed("s.1", Start.NOW);
    List<Arrival> arrivals = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      arrivals.add(next("s.1"));
    }
    arrive(arrivals.toArray(Arrival[]::new));
    Start.Position position = position(client, "s.1", 99);
    TopicJournal torn = journal.topic(PATTERN);
    long epoch = torn.epoch();
    torn.delete();
    stop();
    start(ALL);
    assertThat(journal.topic(PATTERN).epoch()).isNotEqualTo(epoch);
    assertThat(recovers("s.1", position)).isFalse();
  }

  @Test
  void shouldNotResumeIfSnapshotsMayLackKey() throws Exception {
    start(CONFIG.with(HistorySettings.MESSAGES, 10).with(HistorySettings.KEYS, 1), NOTHING);
    arrive(keyed("s.1", "held"));
    RecordingClient client = subscribed("s.1", Start.SNAPSHOT);
    Start.Position position = position(client, "s.1", 1);
    client.leave();
    node.settle();
    node.control.fireTimers(); // it does not linger any longer
    arrive(keyed("s.1", "left out"));
    for (int i = 0; i < 10; i++) {
      arrive(next("s.2"));
    }
    assertThat(recovers("s.1", position)).as("without the second message").isFalse();
  }

  private Arrival keyed(String topic, String key) {
    sent++;
    byte[] payload = String.valueOf(sent).getBytes(StandardCharsets.US_ASCII);
    long timeMs = node.clock.wallMs();
    Message message = new Message(topic, sent, timeMs, PayloadKind.TEXT, payload, null, key);
    return new Arrival(message, null, true, false);
  }
}
