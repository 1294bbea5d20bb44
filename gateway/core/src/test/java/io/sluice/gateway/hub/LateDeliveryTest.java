package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Start;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Gaps of interests whose consumers were opened between the sending and the delivery. */
final class LateDeliveryTest {
  private static final long MARGIN_MS = 5_000;
  private static final Config CONFIG =
      Config.defaults()
          .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(MARGIN_MS))
          .with(HistorySettings.WARM, List.of("warm.>"));

  private final HubFixture node = new HubFixture(1, CONFIG, 1_000);
  private final List<List<LateDelivery>> announced = new ArrayList<>();

  LateDeliveryTest() {
    node.hub.onLateDeliveries(announced::add);
    node.hub.start();
    node.settle();
    node.broker.connect();
    node.settle();
  }

  @AfterEach
  void close() {
    node.settle();
    node.assertNothingLeaked();
    node.close();
  }

  private RecordingClient subscribed(String topic) {
    RecordingClient client = new RecordingClient(node.shards.get(0), Encoding.JSON);
    client.subscribe(topic, Start.NOW, Delivery.ALL);
    node.settle();
    return client;
  }

  private static long gaps(RecordingClient client) {
    return client.events.stream().filter(event -> event.startsWith("gap ")).count();
  }

  private void report() {
    for (int i = 0; i < 2; i++) { // this node's, then those of all nodes
      node.control.fireTimers();
      node.settle();
    }
  }

  private LateDelivery late(String topic, long sentAgoMs, long... ids) {
    long nowMs = node.clock.wallMs();
    List<Long> all = LongStream.of(ids).boxed().toList();
    return new LateDelivery(topic, all, nowMs - sentAgoMs, nowMs, sentAgoMs);
  }

  @Test
  void shouldReportAGapToConsumersOpenedInBetween() {
    RecordingClient before = subscribed("t");
    node.pass(60_000);
    RecordingClient between = subscribed("*");
    RecordingClient other = subscribed("u");
    node.pass(10_000);
    node.hub.lateDeliveries(List.of(late("t", 20_000, 7)));
    node.hub.lateDeliveries(List.of(late("t", 20_000, 7))); // of another node
    report();
    node.hub.lateDeliveries(List.of(late("t", 20_000, 7)));
    report();
    RecordingClient after = subscribed("t.>");
    report();

    assertThat(gaps(before)).isZero();
    assertThat(gaps(between)).isEqualTo(1);
    assertThat(gaps(other)).isZero();
    assertThat(gaps(after)).isZero();
  }

  @Test
  void shouldReportNoGapForReceivedMessages() {
    RecordingClient client = subscribed("t");
    node.pass(10_000);
    node.broker.deliver("t", new DeliveryInfo(1, 4, true, node.clock.wallMs(), false, false));
    report();
    assertThat(announced).hasSize(1);
    assertThat(announced.get(0)).extracting(LateDelivery::topic).containsExactly("t");
    node.hub.lateDeliveries(List.of(late("t", 60_000, announced.get(0).get(0).ids().get(0))));
    report();
    assertThat(gaps(client)).isZero();
  }

  @Test
  void shouldAnnounceTransactionsButNoOrdinaryMessages() {
    subscribed("t");
    long early = node.broker.nextSequence();
    for (int i = 0; i < 4; i++) {
      node.broker.publish("t");
      node.broker.prove();
      node.pass(2_000);
    }
    report();
    assertThat(announced).isEmpty();
    node.broker.deliver("t", early);
    report();
    assertThat(announced).hasSize(1);
    assertThat(announced.get(0).get(0).delayMs()).isGreaterThan(MARGIN_MS);
  }

  @Test
  void shouldAnnounceTransactionsThatWereOpenForMoreThanTheSpread() {
    subscribed("t");
    long early = node.broker.nextSequence();
    node.broker.prove();
    node.pass(600);
    node.broker.deliver("t", early);
    report();
    assertThat(announced).hasSize(1);
    assertThat(announced.get(0).get(0).delayMs()).isBetween(500L, MARGIN_MS);
  }

  @Test
  void shouldAnnounceAgainWhatWasAnnouncedTooLate() {
    RecordingClient before = subscribed("u");
    node.pass(60_000);
    RecordingClient between = subscribed("t");
    LateDelivery late = late("t", 20_000, 7);
    LateDelivery received = late("u", 20_000, 8);
    node.pass(MARGIN_MS);
    node.hub.lateDeliveries(List.of(late, received));
    report();
    assertThat(gaps(between)).isEqualTo(1);
    assertThat(gaps(before)).isZero();
    long nowMs = node.clock.wallMs();
    LateDelivery again = new LateDelivery("t", List.of(), 0, nowMs, 0);
    assertThat(announced).containsExactly(List.of(again));

    node.pass(MARGIN_MS);
    node.hub.lateDeliveries(List.of(again)); // of another node
    report();
    assertThat(gaps(between)).isEqualTo(2);
    assertThat(announced).hasSize(1);
  }

  @Test
  void shouldAnnounceOnceWhatArrivesInTime() {
    RecordingClient between = subscribed("t");
    node.hub.lateDeliveries(List.of(late("t", 20_000, 7)));
    report();
    assertThat(gaps(between)).isEqualTo(1);
    assertThat(announced).isEmpty();
  }

  @Test
  void shouldReportTheGapOfAWarmPatternToItsTopicOnly() {
    RecordingClient one = subscribed("warm.one");
    RecordingClient two = subscribed("warm.two");
    node.pass(10_000);
    node.hub.lateDeliveries(List.of(late("warm.one", 20_000, 7)));
    report();
    assertThat(gaps(one)).isEqualTo(1);
    assertThat(gaps(two)).isZero();
  }
}
