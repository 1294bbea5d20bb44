package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Start;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handling of retroactive messages that a broker sends to a new consumer. */
final class RetroactiveFilterTest {
  private static final Config CONFIG =
      Config.defaults()
          .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100))
          .with(HistorySettings.RESUME_MARGIN, Duration.ofSeconds(5))
          .with(HistorySettings.AGE, Duration.ofMinutes(1));

  private final HubFixture node = new HubFixture(1, CONFIG, 1_000);

  RetroactiveFilterTest() {
    node.broker.connect();
    node.settle();
  }

  @AfterEach
  void close() {
    node.settle();
    node.assertNothingLeaked();
    node.close();
  }

  private RecordingClient subscribed(String topic, Start start) {
    RecordingClient client = new RecordingClient(node.shards.get(0), Encoding.JSON);
    client.anyOrder = true;
    client.subscribe(topic, start, Delivery.ALL);
    node.settle();
    return client;
  }

  private static List<String> events(RecordingClient client) {
    return client.events.stream().filter(event -> !event.equals("flush")).toList();
  }

  /** Publishes one message and advances the clock. */
  private void publish(String topic) {
    node.broker.publish(topic);
    node.pass(10);
  }

  private void give(String topic, int number, long agoMs) {
    node.broker.give(topic, number, node.clock.wallMs() - agoMs);
    node.settle();
  }

  private void loseAndReturn() {
    node.broker.lose();
    node.pass(1_000);
    node.broker.connect();
    node.settle();
  }

  @Test
  void shouldForwardUnknownRetroactiveMessages() {
    RecordingClient client = subscribed("t", Start.SNAPSHOT);
    give("t", 1, 600_000);
    give("t", 2, 300_000);
    assertThat(events(client)).containsExactly("subscribed t@0", "t=1@1", "t=2@2");
  }

  @Test
  void shouldForwardOnlyMissingMessagesAfterOutage() {
    RecordingClient client = subscribed("t", Start.NOW);
    publish("t");
    publish("t");
    loseAndReturn();
    give("t", 1, 1_020);
    give("t", 2, 1_010);
    give("t", 3, 500);
    node.pass(1);
    node.broker.give("t", 4, node.clock.wallMs());
    node.settle();
    assertThat(events(client))
        .containsExactly(
            "subscribed t@0",
            "t=1@1",
            "t=2@2",
            "stale",
            "gap t broker-lost",
            "live",
            "t=3@4",
            "t=4@5");
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "REFUTED"})
  void shouldReportGapForRepeatedIdsThatAreNotVerified(IdentityState state) {
    node.broker.identify(IdentityState.VERIFIED);
    RecordingClient client = subscribed("t", Start.NOW);
    give("t", 7, 0);
    node.broker.identify(state);
    client.events.clear();
    loseAndReturn();
    give("t", 7, 0);
    give("t", 8, 0);
    assertThat(events(client)).endsWith("live", "gap t broker-lost", "t=8@5");
  }

  @Test
  void shouldReportGapForDroppedMessageAfterAnotherGap() {
    RecordingClient client = subscribed("t", Start.NOW);
    publish("t");
    node.broker.identify(IdentityState.NONE);
    loseAndReturn();
    client.events.clear();
    give("t", 1, 0);
    assertThat(events(client)).isEmpty();
    node.broker.prove();
    node.settle();
    assertThat(events(client)).containsExactly("gap t broker-lost");
  }

  @Test
  void shouldDetectOldNewestMessageOfEachTopic() {
    RecordingClient client = subscribed("s.>", Start.NOW);
    publish("s.1");
    publish("s.2");
    node.pass(3_600_000);
    loseAndReturn();
    give("s.2", 1, 3_600_000);
    give("s.1", 1, 3_600_000);
    assertThat(events(client)).hasSize(6).last().isEqualTo("live");
  }

  @Test
  void shouldDetectOldRetroactiveMessages() {
    RecordingClient client = subscribed("t", Start.NOW);
    give("t", 1, 600_000);
    give("t", 2, 500_000);
    node.pass(3_600_000); // the log has given up the first one
    loseAndReturn();
    give("t", 1, 4_300_000);
    give("t", 2, 4_200_000);
    assertThat(events(client)).hasSize(6).last().isEqualTo("live");
  }

  @Test
  void shouldForwardOnceIfRetroactiveAndLive() {
    RecordingClient client = subscribed("t", Start.NOW);
    give("t", 18, 0);
    give("t", 17, 0);
    give("t", 18, 0);
    give("t", 19, 0);
    assertThat(events(client))
        .containsExactly("subscribed t@0", "t=18@1", "t=17@2", "gap t broker-lost", "t=19@4");
  }

  @Test
  void shouldReportGapInsteadOfOldMessageAfterNewer() {
    RecordingClient client = subscribed("t", Start.NOW);
    publish("t");
    loseAndReturn();
    node.pass(10);
    give("t", 5, 0);
    give("t", 1, 1_020);
    give("t", 3, 40);
    give("t", 4, 30);
    give("t", 6, 0);
    assertThat(events(client))
        .containsSubsequence("live", "t=5@3", "gap t broker-lost", "gap t broker-lost", "t=6@6");
  }

  @Test
  void shouldForwardReorderedLiveMessages() {
    RecordingClient client = subscribed("t", Start.NOW);
    publish("t");
    loseAndReturn();
    give("t", 3, 0);
    give("t", 2, 5);
    assertThat(events(client)).endsWith("t=3@3", "t=2@4");
  }

  @Test
  void shouldForwardRepetitionLongAfterActivation() {
    RecordingClient client = subscribed("t", Start.NOW);
    publish("t");
    node.pass(RetroactiveFilter.WATCH_MS);
    give("t", 1, 0);
    assertThat(events(client)).containsExactly("subscribed t@0", "t=1@1", "t=1@2");
  }

  @Test
  void shouldNotResumeAtRetroactiveMessage() {
    RecordingClient holder = subscribed("t", Start.NOW);
    node.pass(1_000);
    give("t", 7, 60_000);
    node.pass(20_000);
    publish("t");
    long since = node.clock.wallMs() - 100_000;
    RecordingClient moved = subscribed("t", new Start.Position(77, 3, new long[] {7}, since, 0));
    assertThat(moved.admissions.get("t").recovered()).isFalse();
    RecordingClient later = subscribed("t", new Start.Position(77, 4, new long[] {1}, since, 0));
    assertThat(later.admissions.get("t").recovered()).as("one that came live").isTrue();
    assertThat(holder.events).isNotEmpty();
  }
}
