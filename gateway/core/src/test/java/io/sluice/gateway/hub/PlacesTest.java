package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.SubscriptionStart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Positions in streams of sources with offsets: PROTOCOL.md, section 8. */
final class PlacesTest {
  private static final Config CONFIG = Config.defaults().with(HistorySettings.MESSAGES, 16);
  private static final int STREAM = 7;

  private final ScriptedStream stream = new ScriptedStream(STREAM, 3);
  private final List<HubFixture> nodes = new ArrayList<>();

  private HubFixture node() {
    return node(CONFIG);
  }

  private <T> HubFixture node(Setting<T> setting, T value) {
    return node(CONFIG.with(setting, value));
  }

  private HubFixture node(Config config) {
    return node(new HubFixture(1, config, 1_000));
  }

  private HubFixture node(HubFixture added) {
    added.broker.read(stream);
    added.broker.connect();
    added.settle();
    nodes.add(added);
    return added;
  }

  private HubFixture warmNode() {
    HubFixture warm = node();
    warm.hub.warm(List.of("s.>"));
    warm.settle();
    return warm;
  }

  @AfterEach
  void close() {
    for (HubFixture each : nodes) {
      each.settle();
      each.assertNothingLeaked();
      each.close();
    }
  }

  /** Client that keeps its position across connections, as the protocol requires. */
  private static final class Mover {
    private final String topic;
    private final Delivery delivery;
    private final List<Integer> numbers = new ArrayList<>();
    private final Map<Integer, Long> ids = new TreeMap<>();
    private final List<String> reports = new ArrayList<>();
    private RecordingClient client;
    private Start start;
    private SubscriptionStart answer;
    private long epoch;
    private int read;
    private int readGaps;
    private long offset;

    Mover(String topic) {
      this(topic, Start.NOW, Delivery.ALL);
    }

    Mover(String topic, Start start, Delivery delivery) {
      this.topic = topic;
      this.start = start;
      this.delivery = delivery;
    }

    Mover subscribe(HubFixture at) {
      client = new RecordingClient(at.shards.get(0), Encoding.JSON);
      client.anyOrder = true;
      client.subscribe(topic, start, delivery);
      answer = null;
      read = 0;
      readGaps = 0;
      return this;
    }

    Mover moveTo(HubFixture at) {
      subscribe(at);
      at.settle();
      return read();
    }

    /** Processes the events since the last call. */
    Mover read() {
      SubscriptionStart given = client.admissions.get(topic);
      if (answer == null && given != null) {
        answer = given;
        epoch = given.epoch();
        offset = given.offset();
        if (!Boolean.TRUE.equals(given.recovered())) {
          ids.clear();
          raise(given.ids());
        }
        if (Boolean.FALSE.equals(given.recovered())) {
          reports.add("unrecovered");
          numbers.clear();
        }
      }
      List<String> gaps = client.gaps.subList(readGaps, client.gaps.size());
      gaps.stream().filter(gap -> gap.contains("\"epoch\"")).forEach(this::begin);
      readGaps += gaps.size();
      raise(client.ids);
      for (String event : client.events.subList(read, client.events.size())) {
        if (event.startsWith(topic) || event.contains("=")) {
          String number = event.replaceAll(".*=(\\d+)@.*", "$1");
          numbers.add(Integer.parseInt(number));
          offset = Long.parseLong(event.replaceAll(".*@", ""));
        } else if (event.startsWith("gap") || event.equals("stale") || event.equals("live")) {
          reports.add(event.replace(" " + topic, ""));
        }
      }
      read = client.events.size();
      return this;
    }

    private void begin(String gap) {
      assertThat(gap).contains("\"ids\":[");
      epoch = Long.parseUnsignedLong(gap.replaceAll(".*\"epoch\":\"([0-9a-f]{16})\".*", "$1"), 16);
      ids.clear();
      String begun = gap.replaceAll(".*\"ids\":\\[(.*)].*", "$1").replace("\"", "");
      raise(begun.isEmpty() ? List.of() : List.of(begun.split(",")));
    }

    private void raise(List<String> more) {
      raise(more.stream().mapToLong(id -> Long.parseUnsignedLong(id, 16)).toArray());
    }

    private void raise(long[] more) {
      for (long id : more) {
        ids.merge(StreamPlace.partition(id), id, Math::max);
      }
    }

    /** Leaves the node with its position. */
    Mover leave() {
      read();
      long[] known = ids.values().stream().mapToLong(Long::longValue).toArray();
      start = new Start.Position(epoch, offset, known, 1, 0);
      client.leave();
      return this;
    }

    /** Receives what it has not received before. */
    List<Integer> taken() {
      read();
      List<Integer> since = List.copyOf(numbers);
      numbers.clear();
      return since;
    }

    boolean isRecovered() {
      read();
      return answer.recovered();
    }
  }

  private static Integer[] numbers(int partition, int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(offset -> partition * ScriptedStream.PARTITION + offset)
        .toArray(Integer[]::new);
  }

  private static void pull(HubFixture at, int... partitions) {
    at.broker.pull(partitions);
    at.settle();
  }

  /** Publishes messages to a partition, and lets a node receive them. */
  private void deliver(HubFixture at, String topic, int partition, int count) {
    stream.publish(topic, partition, count);
    pull(at, partition);
  }

  private static void answerOne(HubFixture at) {
    at.broker.answer(at.broker.readBacks.remove());
    at.settle();
  }

  private static void answer(HubFixture at) {
    at.broker.answerReadBacks();
    at.settle();
  }

  /** Opens the topic at a node, which has its log from now on. */
  private static Mover open(HubFixture at, String topic) {
    return new Mover(topic).moveTo(at);
  }

  @Test
  void shouldAnnounceTheLatestIdOfEachPartition() {
    stream.publish("t", 0, 3);
    stream.publish("t", 2, 1);
    HubFixture node = node();
    Mover first = open(node, "t");
    assertThat(first.answer.ids())
        .containsExactlyInAnyOrder(StreamPlace.id(0, 2), StreamPlace.id(2, 0));
    deliver(node, "t", 1, 2);
    assertThat(open(node, "t").answer.ids())
        .containsExactlyInAnyOrder(
            StreamPlace.id(0, 2), StreamPlace.id(2, 0), StreamPlace.id(1, 1));
    assertThat(first.taken()).containsExactly(numbers(1, 0, 2));
  }

  @Test
  void shouldResumeAtAnotherNodeWithAnotherInterleaving() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    Mover client = open(one, "t");
    stream.publish("t", 0, 3);
    stream.publish("t", 1, 3);
    pull(one, 0);
    assertThat(client.leave().taken()).containsExactly(numbers(0, 0, 3));
    stream.publish("t", 0, 1);
    pull(other, 1, 0);
    client.moveTo(other);
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).containsExactly(1000, 1001, 1002, 3);
    assertThat(client.reports).isEmpty();
    assertThat(other.broker.readBacks).isEmpty();
  }

  @Test
  void shouldSendNothingTwiceToClientThatHopsBetweenNodes() {
    HubFixture one = node();
    HubFixture other = node();
    open(one, "t");
    open(other, "t");
    Mover client = open(one, "t");
    List<Integer> all = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      HubFixture at = round % 2 == 0 ? one : other;
      all.addAll(client.taken());
      client.leave();
      stream.publish("t", round % 3, 2);
      stream.publish("t", (round + 1) % 3, 1);
      pull(one, 0, 1, 2);
      pull(other, 2, 1, 0);
      client.moveTo(at);
      assertThat(client.isRecovered()).isTrue();
    }
    all.addAll(client.taken());
    assertThat(all).doesNotHaveDuplicates().hasSize(60);
  }

  @Test
  void shouldWaitForMessagesThatTheClientHasReceivedAtAnotherNode() {
    stream.publish("t", 0, 1);
    stream.publish("t", 1, 1);
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    Mover client = open(one, "t");
    stream.publish("t", 0, 3);
    stream.publish("t", 1, 2);
    pull(one, 0);
    assertThat(client.leave().taken()).containsExactly(numbers(0, 1, 4));
    client.moveTo(other);
    pull(other, 1);
    assertThat(client.read().answer).isNull();
    pull(other, 0);
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).containsExactly(numbers(1, 1, 3));
    deliver(other, "t", 0, 1);
    assertThat(client.taken()).containsExactly(4);
  }

  @Test
  void shouldNotRecoverPlaceThatTheSourceNoLongerHas() {
    stream.whole = true;
    HubFixture one = node();
    Mover client = open(one, "t");
    deliver(one, "t", 0, 3);
    client.leave();
    stream.truncate(0, 2);
    HubFixture other = node();
    open(other, "t");
    other.broker.lose();
    other.settle();
    client.moveTo(other);
    assertThat(client.isRecovered()).isFalse();
  }

  @Test
  void shouldRecoverPlaceThatTheLogHasWhileTheSourceIsLost() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    Mover client = open(one, "t");
    deliver(one, "t", 0, 1);
    assertThat(client.leave().taken()).containsExactly(numbers(0, 0, 1));
    deliver(other, "t", 0, 2);
    other.broker.lose();
    other.settle();
    client.moveTo(other);
    assertThat(client.taken()).containsExactly(numbers(0, 1, 3));
    assertThat(client.isRecovered()).isTrue();
    stream.publish("t", 0, 1);
    other.broker.connect();
    other.settle();
    pull(other, 0);
    assertThat(client.taken()).containsExactly(numbers(0, 3, 4));
  }

  @Test
  void shouldSendNothingTwiceAfterReplayThatEndedEarly() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    Mover client = open(one, "t");
    stream.publish("t", 0, 3);
    stream.publish("t", 1, 3);
    pull(one, 0);
    client.leave().taken();
    pull(other, 1);
    pull(other, 0);
    client.moveTo(other).leave();
    long afterFirst = client.answer.offset() - 5; // the log has six messages
    long[] ids = {StreamPlace.id(0, 2), StreamPlace.id(1, 0)};
    Start early = new Start.Position(client.answer.epoch(), afterFirst, ids, 1, 0);
    Mover again = new Mover("t", early, Delivery.ALL).moveTo(other);
    assertThat(again.taken()).containsExactly(1001, 1002);
  }

  @Test
  void shouldRecoverOnlyPlacesWhoseOffsetsWereNotAssignedAgain() {
    HubFixture one = node();
    HubFixture other = node();
    Mover connected = open(other, "t");
    Mover before = open(one, "t");
    deliver(one, "t", 0, 2);
    before.leave().taken();
    Mover removed = open(one, "t");
    deliver(one, "t", 0, 2);
    removed.leave();
    pull(other, 0);
    stream.truncate(0, 3);
    other.broker.truncated(0, 3);
    other.settle();
    assertThat(connected.read().reports).containsExactly("gap broker-lost");
    deliver(other, "t", 0, 3);
    assertThat(removed.moveTo(other).isRecovered()).isFalse();
    before.moveTo(other);
    answer(other);
    assertThat(before.isRecovered()).isTrue();
    assertThat(before.taken()).containsExactly(numbers(0, 2, 6));
    assertThat(connected.taken()).containsExactly(0, 1, 2, 3, 3, 4, 5);
    assertThat(connected.leave().moveTo(other).isRecovered()).as("of the same log").isTrue();
    assertThat(connected.taken()).isEmpty();
  }

  @Test
  void shouldNotRecoverPlaceOfMessageThatTheSourceHasLostBeforeTheNodeHasReadIt() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    Mover client = open(one, "t");
    Mover before = open(one, "t");
    stream.publish("t", 0, 1);
    pull(one, 0);
    before.leave().taken();
    stream.publish("t", 0, 2);
    pull(one, 0);
    client.leave();
    stream.truncate(0, 1);
    stream.publish("t", 0, 5);
    pull(other, 0);
    client.moveTo(other);
    answer(other);
    assertThat(client.isRecovered()).isFalse();
    assertThat(before.moveTo(other).isRecovered()).as("of a message that still exists").isTrue();
    assertThat(before.taken()).containsExactly(numbers(0, 1, 6));
  }

  @Test
  void shouldRemoveTruncatedMessagesFromSnapshots() {
    HubFixture node = warmNode();
    for (int i = 0; i < 20; i++) { // the first ones leave the log
      stream.publish("s.a", 0, i == 0 ? "old" : i < 10 ? "kept" : "removed");
    }
    stream.publish("s.b", 1, "other");
    pull(node, 0, 1);
    Mover lagging = open(node, "s.a");
    stream.truncate(0, 10);
    node.broker.truncated(0, 10);
    node.settle();
    stream.publish("s.a", 0, "new");
    pull(node, 0);
    assertThat(snapshot(node, "s.>")).containsExactlyInAnyOrder(0, 9, 1_000, 10);
    assertThat(snapshot(node, "s.a")).as("fed").containsExactlyInAnyOrder(0, 9, 10);
    assertThat(lagging.taken()).containsExactly(10);
  }

  private static List<Integer> snapshot(HubFixture node, String topic) {
    Mover client = new Mover(topic, Start.SNAPSHOT, Delivery.ALL).moveTo(node);
    List<Integer> taken = client.taken();
    client.leave();
    return taken;
  }

  @Test
  void shouldForgetSubscriptionThatEndsWhileItWaitsForMessages() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    Mover client = open(one, "t");
    deliver(one, "t", 0, 3);
    client.leave().moveTo(other).client.leave();
    pull(other, 0);
    assertThat(client.read().answer).isNull();
  }

  @Test
  void shouldResumeAtTheSameNodeByOffset() {
    HubFixture node = node();
    open(node, "t");
    Mover client = open(node, "t");
    deliver(node, "t", 0, 2);
    client.leave();
    deliver(node, "t", 1, 2);
    client.moveTo(node);
    assertThat(client.taken()).containsExactly(0, 1, 1000, 1001);
    assertThat(node.broker.readBacks).isEmpty();
  }

  @Test
  void shouldNotReadBackForClientsThatHaveLeft() {
    HubFixture one = node();
    HubFixture other = node();
    List<String> topics = List.of("t", "u", "v"); // one more than are read back at a time
    topics.forEach(topic -> open(other, topic).leave());
    List<Mover> clients = topics.stream().map(topic -> open(one, topic).leave()).toList();
    topics.forEach(topic -> stream.publish(topic, 0, 20));
    pull(other, 0);
    clients.forEach(client -> client.moveTo(other));
    for (int i = 0; i < 3; i++) {
      clients.get(2).client.leave();
      clients.get(2).moveTo(other);
    }
    int requests = 0;
    for (; !other.broker.readBacks.isEmpty(); requests++) {
      answerOne(other);
    }
    assertThat(requests).isEqualTo(3);
    assertThat(clients).allMatch(Mover::isRecovered);
  }

  @Test
  void shouldReadBackWhatTheLogNoLongerHas() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    Mover client = open(one, "t");
    deliver(one, "t", 0, 2);
    client.leave().taken();
    stream.publish("t", 0, 30);
    stream.publish("t", 1, 1);
    pull(other, 0, 1);
    client.moveTo(other);
    assertThat(client.taken()).as("held").isEmpty();
    answer(other);
    assertThat(client.read().isRecovered()).isTrue();
    List<Integer> expected = new ArrayList<>(List.of(numbers(0, 2, 32)));
    expected.add(1000);
    assertThat(client.taken()).containsExactlyElementsOf(expected);
  }

  @Test
  void shouldReadBackWhileMessagesArriveAndLeaveTheLog() {
    HubFixture other = node();
    open(other, "t");
    Mover client = open(node(), "t").leave();
    deliver(other, "t", 0, 40);
    client.moveTo(other);
    deliver(other, "t", 0, 40);
    deliver(other, "t", 1, 2);
    answer(other);
    List<Integer> expected = new ArrayList<>(List.of(numbers(0, 0, 80)));
    expected.addAll(List.of(1000, 1001));
    assertThat(client.taken()).containsExactlyElementsOf(expected);
    assertThat(client.isRecovered()).isTrue();
    deliver(other, "t", 0, 1);
    assertThat(client.taken()).containsExactly(80);
  }

  @Test
  void shouldReadBackWithoutRetention() {
    HubFixture one = node(HistorySettings.MESSAGES, 0);
    HubFixture other = node(HistorySettings.MESSAGES, 0);
    open(other, "t");
    Mover client = open(one, "t");
    deliver(other, "t", 0, 3);
    client.leave().moveTo(other);
    deliver(other, "t", 0, 2);
    answer(other);
    assertThat(client.taken()).containsExactly(numbers(0, 0, 5));
    client.leave().moveTo(other);
    assertThat(client.isRecovered()).isTrue();
    assertThat(other.broker.readBacks).isEmpty();
  }

  @Test
  void shouldReadOnceForSeveralClientsWithDifferentPlaces() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    open(one, "t");
    List<Mover> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(open(one, "t").leave());
      stream.publish("t", i % 2, 1);
      pull(one, 0, 1);
    }
    stream.publish("t", 2, 20);
    pull(other, 0, 1, 2);
    clients.get(2).subscribe(other);
    clients.get(0).subscribe(other);
    clients.get(4).subscribe(other);
    clients.get(1).subscribe(other);
    clients.get(3).subscribe(other);
    other.settle();
    assertThat(other.broker.readBacks).as("one at a time").hasSize(1);
    answerOne(other);
    assertThat(clients.get(4).isRecovered()).as("its place is behind the request's").isTrue();
    assertThat(clients.get(0).taken()).isEmpty();
    answerOne(other);
    for (int i = 0; i < 5; i++) {
      assertThat(clients.get(i).taken()).hasSize(25 - i).doesNotHaveDuplicates();
      assertThat(clients.get(i).isRecovered()).isTrue();
    }
    assertThat(other.broker.readBacks).isEmpty();
  }

  @Test
  void shouldNotRefuseClientWithAnotherThatIsTooFarBehind() {
    HubFixture one = node();
    HubFixture other = node(HistorySettings.READ_BACK, 30);
    open(other, "t");
    open(one, "t");
    Mover late = open(one, "t").leave();
    Mover later = open(one, "t").leave();
    deliver(one, "t", 0, 50);
    Mover recent = open(one, "t").leave();
    deliver(one, "t", 0, 20);
    Mover latest = open(one, "t").leave();
    stream.publish("t", 1, 20);
    pull(other, 0, 1);
    List<Mover> all = List.of(late, recent, later, latest);
    all.forEach(client -> client.subscribe(other));
    other.settle();
    while (!other.broker.readBacks.isEmpty()) {
      answer(other);
    }
    all.forEach(Mover::read);
    assertThat(late.isRecovered()).isFalse();
    assertThat(later.isRecovered()).isFalse();
    assertThat(recent.isRecovered()).isTrue();
    assertThat(latest.isRecovered()).isTrue();
    assertThat(recent.taken()).hasSize(40);
    assertThat(latest.taken()).containsExactly(numbers(1, 0, 20));
  }

  @Test
  void shouldSendSnapshotIfTheSourceNoLongerHasTheMessages() {
    HubFixture other = node();
    open(other, "t");
    Mover client = open(node(), "t").leave();
    stream.publish("t", 0, 40);
    stream.remove(0, 10);
    pull(other, 0);
    client.moveTo(other);
    answer(other);
    assertThat(client.read().reports).containsExactly("unrecovered");
    assertThat(client.taken()).containsExactly(39);
    assertThat(client.answer.ids()).containsExactly(StreamPlace.id(0, 39));
  }

  @Test
  void shouldContinueAfterOutageWithoutGap() {
    HubFixture node = node();
    Mover client = open(node, "t");
    deliver(node, "t", 0, 1);
    client.read().reports.clear();
    node.broker.lose();
    node.settle();
    stream.publish("t", 0, 2);
    node.broker.connect();
    node.settle();
    pull(node, 0);
    assertThat(client.taken()).containsExactly(numbers(0, 0, 3));
    assertThat(client.reports).containsExactly("stale", "live");
  }

  @Test
  void shouldRepeatReadBackThatAnOutageHasEnded() {
    HubFixture other = node();
    open(other, "t");
    Mover client = open(node(), "t").leave();
    deliver(other, "t", 0, 40);
    client.moveTo(other);
    other.broker.lose();
    other.settle();
    other.broker.readBacks.remove().answer().accept(null, "no connection");
    other.settle();
    assertThat(client.taken()).isEmpty();
    other.broker.connect();
    other.settle();
    answer(other);
    assertThat(client.taken()).containsExactly(numbers(0, 0, 40));
    assertThat(client.isRecovered()).isTrue();
  }

  @Test
  void shouldForgetHeldSubscriptionThatEnds() {
    HubFixture other = node();
    Mover opener = open(other, "t");
    Mover client = open(node(), "t").leave();
    deliver(other, "t", 0, 40);
    client.moveTo(other);
    client.client.leave();
    answer(other);
    assertThat(client.client.admissions).isEmpty();
    assertThat(opener.taken()).hasSize(40);
  }

  @Test
  void shouldRefuseHeldSubscription() {
    HubFixture other = node();
    open(other, "t");
    Mover client = open(node(), "t").leave();
    deliver(other, "t", 0, 40);
    client.moveTo(other);
    other.broker.listener("t").onRefused(ErrorCode.UNKNOWN_TOPIC, "deleted");
    other.settle();
    answer(other);
    assertThat(client.client.events).contains("refused t UNKNOWN_TOPIC");
    assertThat(client.client.admissions).isEmpty();
  }

  @Test
  void shouldReadBackAcrossGapInsideTheLog() {
    HubFixture other = node();
    open(other, "t");
    Mover client = open(node(), "t").leave();
    deliver(other, "t", 0, 2);
    other.broker.listener("t").onMissed(GapReason.OVERLOAD, DeliveryInfo.of(Broker.NO_SEQUENCE));
    deliver(other, "t", 1, 2);
    client.moveTo(other);
    answer(other);
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).containsExactly(0, 1, 1000, 1001);
  }

  @Test
  void shouldNotRecoverPositionBeforeMessageThatTheNodeDoesNotForward() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    Mover client = open(one, "t");
    deliver(one, "t", 0, 1);
    pull(other, 0);
    client.leave();
    other.broker.listener("t").onMissed(GapReason.TOO_LARGE, DeliveryInfo.of(StreamPlace.id(0, 1)));
    client.moveTo(other);
    other.broker.readBacks.remove().answer().accept(null, "too large");
    other.settle();
    assertThat(client.isRecovered()).isFalse();
  }

  @Test
  void shouldReadAgainAfterGapDuringReadBack() {
    HubFixture other = node();
    open(other, "t");
    Mover client = open(node(), "t").leave();
    deliver(other, "t", 0, 40);
    client.moveTo(other);
    other.broker.listener("t").onMissed(GapReason.OVERLOAD, DeliveryInfo.of(Broker.NO_SEQUENCE));
    answer(other);
    answer(other);
    assertThat(client.taken()).containsExactly(numbers(0, 0, 40));
    assertThat(client.isRecovered()).isTrue();
  }

  @Test
  void shouldNotRecoverPositionOfAnotherStream() {
    HubFixture node = node();
    Mover opener = open(node, "t");
    Mover client = open(node(), "t");
    deliver(node, "t", 0, 5);
    client.leave();
    stream.recreate(STREAM + 1);
    node.broker.restartStream();
    node.settle();
    deliver(node, "t", 0, 3);
    client.moveTo(node);
    assertThat(client.reports).containsExactly("unrecovered");
    assertThat(client.answer.ids()).containsExactly(StreamPlace.id(0, 2));
    assertThat(client.taken()).containsExactly(2);
    assertThat(opener.taken()).containsExactly(0, 1, 2, 3, 4, 0, 1, 2);
    assertThat(opener.reports).contains("gap broker-lost");
    HubFixture other = node();
    open(other, "t");
    deliver(other, "t", 0, 1);
    assertThat(client.leave().moveTo(other).isRecovered()).as("same stream").isTrue();
    assertThat(client.taken()).containsExactly(3);
    assertThat(opener.leave().moveTo(other).isRecovered()).as("since the gap").isTrue();
    assertThat(opener.taken()).containsExactly(3);
  }

  @Test
  void shouldAnnounceTheNewStreamOnceToEachClient() {
    HubFixture node = node();
    stream.publish("t", 1, 5);
    Mover live = open(node, "t");
    pull(node, 1);
    deliver(node, "t", 1, 5);
    Mover lagging = new Mover("t", new Start.Last(3), Delivery.ALL).subscribe(node);
    Mover conflated = new Mover("t", new Start.Last(3), new Delivery(true, 0)).subscribe(node);
    lagging.client.room = 0;
    conflated.client.room = 0;
    node.settle();
    stream.recreate(STREAM + 1);
    node.broker.restartStream();
    node.settle();
    Mover later = open(node, "t");
    deliver(node, "t", 2, 2);
    node.broker.listener("t").onMissed(GapReason.OVERLOAD, DeliveryInfo.of(Broker.NO_SEQUENCE));
    deliver(node, "t", 2, 1);
    lagging.client.room = Long.MAX_VALUE;
    conflated.client.room = Long.MAX_VALUE;
    node.pass(10);
    for (Mover each : List.of(live, lagging, conflated)) {
      assertThat(each.client.gaps).filteredOn(gap -> gap.contains("\"epoch\"")).hasSize(1);
    }
    assertThat(later.client.gaps).singleElement().asString().doesNotContain("epoch");
    HubFixture other = node();
    open(other, "t");
    deliver(other, "t", 2, 1);
    for (Mover each : List.of(live, lagging, conflated)) {
      List<Integer> before = each.taken();
      each.leave().moveTo(other);
      answer(other);
      assertThat(each.isRecovered()).isTrue();
      assertThat(each.taken()).endsWith(2_003).noneMatch(before::contains);
    }
  }

  @Test
  void shouldSendNoMessageOfStreamThatItDoesNotAnnounce() {
    HubFixture node = node();
    open(node, "t");
    deliver(node, "t", 0, 4);
    Mover client = new Mover("t", new Start.Last(3), new Delivery(true, 0)).subscribe(node);
    node.settle();
    deliver(node, "t", 0, 1);
    node.pass(10);
    client.client.room = 0;
    for (int number = 1; number <= 2; number++) {
      stream.recreate(STREAM + number);
      node.broker.restartStream();
      node.settle();
      deliver(node, "t", 0, number);
    }
    client.client.room = Long.MAX_VALUE;
    node.pass(10);
    assertThat(client.client.gaps).singleElement().asString().contains("\"epoch\"");
    assertThat(client.taken()).endsWith(4, 1);
  }

  @Test
  void shouldResumeAfterMessagesOfTheFormerStreamHaveLeftTheLog() {
    HubFixture node = node();
    open(node, "t");
    deliver(node, "t", 0, 100);
    stream.recreate(STREAM + 1);
    node.broker.restartStream();
    node.settle();
    HubFixture other = node();
    Mover client = open(other, "t").leave();
    deliver(node, "t", 0, 14);
    assertThat(client.moveTo(node).isRecovered()).isTrue();
    assertThat(client.taken()).containsExactly(numbers(0, 0, 14));
  }

  @Test
  void shouldEndHoldsWhenTheStreamIsCreatedAgain() {
    HubFixture other = node();
    open(other, "t");
    Mover client = open(node(), "t").leave();
    deliver(other, "t", 0, 40);
    client.moveTo(other);
    stream.recreate(STREAM + 1);
    other.broker.restartStream();
    other.settle();
    assertThat(client.read().reports).containsExactly("unrecovered");
    answer(other);
    deliver(other, "t", 0, 1);
    assertThat(client.taken()).containsExactly(0);
  }

  @Test
  void shouldNotRecoverAtLoopThatIsBehindTheNewStream() {
    HubFixture node = node();
    open(node, "t");
    Mover client = open(node(), "t").leave();
    deliver(node, "t", 0, 40);
    stream.recreate(STREAM + 1);
    node.broker.restartStream(); // the event loop has not processed it yet
    client.subscribe(node);
    node.settle();
    answer(node);
    assertThat(client.read().isRecovered()).isFalse();
  }

  @Test
  void shouldReadPartitionThatTheClientDoesNotKnow() {
    HubFixture one = node();
    Mover client = open(one, "t");
    deliver(one, "t", 0, 1);
    client.leave().taken();
    stream.addPartition();
    stream.publish("t", 3, 5);
    HubFixture other = node(); // begins after these messages
    open(other, "t");
    deliver(other, "t", 3, 1);
    client.moveTo(other);
    answer(other);
    assertThat(client.taken()).containsExactly(numbers(3, 0, 6));
  }

  @Test
  void shouldWaitForPartitionThatTheNodeDoesNotKnow() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    Mover client = open(one, "t");
    stream.addPartition();
    stream.publish("t", 3, 1);
    stream.publish("t", 0, 1);
    pull(one, 3);
    client.leave().taken();
    pull(other, 0);
    assertThat(client.moveTo(other).answer).isNull();
    pull(other, 3);
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).containsExactly(0);
  }

  @Test
  void shouldIgnoreIdsThatNoPartitionHas() {
    HubFixture node = node();
    open(node, "t");
    deliver(node, "t", 0, 2);
    long[] ids = LongStream.rangeClosed(1, 1_024).map(i -> -i << 48 | i).toArray();
    long epoch = (long) STREAM << 32 | 5;
    Mover client = new Mover("t", new Start.Position(epoch, 9, ids, 1, 0), Delivery.ALL);
    client.moveTo(node);
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).containsExactly(0, 1);
  }

  @Test
  void shouldResumeWithLatestAtTheNewestOfEachKey() {
    HubFixture other = node();
    open(other, "t");
    Mover client = new Mover("t", Start.NOW, new Delivery(true, 0)).moveTo(node()).leave();
    stream.publish("t", 0, "a");
    stream.publish("t", 0, "b");
    stream.publish("t", 1, "c");
    stream.publish("t", 0, "a");
    pull(other, 0, 1);
    client.moveTo(other);
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).containsExactly(1, 2, 1000);
  }

  @Test
  void shouldPauseInsteadOfDroppingMessages() {
    ManualExecutor sequencer = new ManualExecutor();
    HubFixture node =
        node(new HubFixture(1, CONFIG.with(LimitSettings.INGRESS_QUEUE, 4), sequencer, 1_000));
    runAll(node, sequencer);
    Mover client = new Mover("t").subscribe(node);
    runAll(node, sequencer);
    stream.publish("t", 0, 20);
    node.broker.pull(0);
    assertThat(node.broker.listener("t").isFull()).isTrue();
    for (int i = 0; i < 20; i++) {
      runAll(node, sequencer);
      node.broker.pull(0);
    }
    runAll(node, sequencer);
    assertThat(client.taken()).containsExactly(numbers(0, 0, 20));
    assertThat(client.reports).isEmpty();
    sequencer.shutdownNow();
  }

  private static void runAll(HubFixture node, ManualExecutor sequencer) {
    do {
      node.settle();
    } while (sequencer.runAll());
  }

  @Test
  void shouldFeedTopicsBelowWarmPattern() {
    HubFixture warm = warmNode();
    HubFixture one = node();
    open(one, "s.1");
    Mover client = open(one, "s.1");
    stream.publish("s.1", 0, 1);
    stream.publish("s.2", 1, 20);
    stream.publish("s.1", 1, 2);
    pull(one, 0, 1);
    client.leave().taken();
    stream.publish("s.1", 2, 1);
    pull(warm, 0, 1, 2);
    client.moveTo(warm);
    answer(warm);
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).containsExactly(2000);
    stream.publish("s.2", 2, 1);
    deliver(warm, "s.1", 2, 1);
    assertThat(client.taken()).containsExactly(2002);
    pull(one, 2);
    client.leave().moveTo(one);
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).isEmpty();
  }

  @Test
  void shouldReadBackTopicThatIsFedAndWhoseFirstMessagesHaveLeft() {
    HubFixture warm = warmNode();
    Mover client = open(node(), "s.1").leave();
    stream.publish("s.1", 0, 2);
    stream.publish("s.2", 0, 20);
    deliver(warm, "s.1", 0, 1);
    client.moveTo(warm);
    assertThat(client.taken()).isEmpty();
    answer(warm);
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).containsExactly(0, 1, 22);
  }

  @Test
  void shouldNotReplayAcrossTheHoleAfterTheRetainedMessageOfFedTopic() {
    HubFixture warm = warmNode();
    stream.publish("s.1", 0, "a");
    stream.publish("s.1", 0, "b");
    stream.publish("s.1", 0, "b");
    deliver(warm, "s.2", 0, 16);
    stream.publish("s.1", 0, "b");
    pull(warm, 0);
    Mover client = new Mover("s.1", new Start.Last(5), Delivery.ALL).moveTo(warm);
    assertThat(client.taken()).containsExactly(19);
  }

  @Test
  void shouldFollowPlaceOfPatternWithManyTopics() {
    HubFixture other = node(LimitSettings.CHANNELS, 100);
    open(other, ">");
    Mover client = new Mover(">").moveTo(node()).leave();
    for (int i = 0; i < 40; i++) {
      stream.publish("t." + i, i % 3, 1);
    }
    pull(other, 0, 1, 2);
    client.moveTo(other);
    answer(other);
    other.hub.channelNumbers();
    assertThat(client.isRecovered()).isTrue();
    assertThat(client.taken()).hasSize(40).doesNotHaveDuplicates();
  }

  @Test
  void shouldReadBackWhatSelectorSelects() {
    HubFixture one = node();
    HubFixture other = node();
    open(other, "t");
    List<RecordingClient> clients = new ArrayList<>();
    Consumer<Start> subscribe =
        start -> {
          RecordingClient client = new RecordingClient(other.shards.get(0), Encoding.JSON);
          clients.add(client);
          client.subscriptions.put(
              "t",
              client.shard.subscribe(
                  client, new InterestKey("t", "key = 'a'"), 1, false, start, Delivery.ALL));
          other.settle();
        };
    Mover before = open(one, "t");
    stream.publish("t", 0, "a");
    stream.publish("t", 0, "b");
    pull(other, 0);
    before.leave();
    subscribe.accept(before.start);
    answer(other);
    assertThat(clients.get(0).admissions.get("t").recovered()).isTrue();
    assertThat(clients.get(0).admissions.get("t").replay()).isEqualTo(1);
  }

  @Test
  void shouldNotAnnouncePlaceAboveTheOffsetOfLoopThatIsBehind() {
    HubFixture node = node();
    Mover first = open(node, "t");
    stream.publish("t", 0, 40);
    node.broker.pull(0); // waits for the event loop, and has left the log partly
    Mover second = new Mover("t").subscribe(node);
    second.read();
    assertThat(second.answer.ids()).isEmpty();
    second.leave().subscribe(node);
    node.settle();
    answer(node);
    assertThat(second.taken()).containsExactly(numbers(0, 0, 40));
    assertThat(first.taken()).hasSize(40);
  }

  @Test
  void shouldPassThePlaceOfMessagesThatOnlyTheLoopHasLost() {
    HubFixture node = node(new HubFixture(1, CONFIG, 4));
    open(node, "t");
    deliver(node, "t", 0, 10);
    assertThat(open(node, "t").answer.ids()).containsExactly(StreamPlace.id(0, 9));
  }

  @Test
  void shouldReportLossAfterReadBackThatGapPrecedes() {
    HubFixture node = node(new HubFixture(1, CONFIG, 4));
    open(node, "t");
    Mover client = open(node(), "t").leave();
    for (int i = 0; i < 10; i++) {
      deliver(node, "t", 0, 4);
    }
    client.moveTo(node);
    stream.publish("t", 0, 6);
    node.broker.pull(0); // of which the loop loses two
    node.broker.answerReadBacks();
    stream.publish("t", 0, 1);
    node.broker.pull(0); // and this one, after the answer
    node.settle();
    client.read();
    assertThat(client.isRecovered()).isTrue();
    List<Integer> received = client.taken();
    assertThat(received).startsWith(numbers(0, 0, 46));
    assertThat(received.size() == 47 || client.reports.contains("gap overload")).isTrue();
  }

  @Test
  void shouldResumeInTheMiddleOfReplay() {
    HubFixture other = node();
    open(other, "t");
    Mover client = open(node(), "t").leave();
    stream.publish("t", 0, 40);
    stream.publish("t", 1, 3);
    pull(other, 0, 1);
    client.subscribe(other);
    client.client.room = 0;
    other.settle();
    answer(other);
    client.client.room = Long.MAX_VALUE;
    other.pass(1_000);
    List<Integer> all = new ArrayList<>(client.taken());
    client.leave().moveTo(other);
    answer(other);
    all.addAll(client.taken());
    assertThat(all).hasSize(43).doesNotHaveDuplicates();
  }
}
