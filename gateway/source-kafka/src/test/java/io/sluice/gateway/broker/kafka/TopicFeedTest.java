package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the order in which records of several partitions are passed on. */
final class TopicFeedTest implements TopicFeed.Owner {
  private static final String TOPIC = "topic";
  private static final int BACKLOG = 400;
  private static final long MAX_LAG_MS = 60_000;

  private final Exposition exposition = new Exposition("topic-feed-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final TopicEvents events = new TopicEvents();
  private final KafkaNames names =
      new KafkaNames(List.of(TOPIC), List.of(), List.of(), new TopicRules(100, 8));
  private final KafkaNames.Route route = names.route(TOPIC);
  private final TopicFeed feed = feed(MAX_LAG_MS);

  private TopicFeed feed(long maxLagMs) {
    return new TopicFeed(
        route,
        names,
        new RecordReader(
            List.of(), PublishKeys.of(List.of(), ""), 1_000, new TextSchemas(), metrics),
        new ReusedOffsets(),
        maxLagMs,
        this);
  }

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  @Override
  public void onJoined(List<KafkaInterest> joined, StreamPlace place, TopicLook look) {
    joined.forEach(KafkaInterest::release);
  }

  @Override
  public void onRefused(List<KafkaInterest> refused, ErrorCode code, String why, Throwable cause) {
    throw new AssertionError(why, cause);
  }

  @Override
  public void onRestarted(KafkaInterest held, StreamPlace place) {
    events.onStream(place);
    held.release();
  }

  private void open(TopicFeed feed) {
    feed.open(new KafkaInterest(InterestKey.of(TOPIC), route, events, any -> {}));
    feed.onLook(new TopicLook("stream", false, new long[2], new long[2], new int[] {1, 1}));
  }

  private void addRecords(TopicFeed feed, int partition, int count) {
    feed.add(
        partition,
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    new ConsumerRecord<byte[], byte[]>(
                        TOPIC, partition, i, null, (partition + ":" + i).getBytes(UTF_8)))
            .toList());
  }

  @Test
  void shouldPassOtherPartitionsBetweenTheRecordsOfABacklog() {
    open(feed);
    addRecords(feed, 0, BACKLOG);
    addRecords(feed, 1, 1);
    int turns = 1;
    while (feed.pass()) {
      turns++;
    }
    assertThat(events.all()).hasSize(BACKLOG + 1);
    assertThat(events.all().indexOf("1:0")).isLessThan(BACKLOG / 10);
    assertThat(turns).isGreaterThan(10);
    assertThat(feed.isBlocked()).isFalse();
  }

  @Test
  void shouldNotRestartForAStateThatCombinesTwoTopics() {
    open(feed);
    addRecords(feed, 0, 5);
    feed.pass();
    feed.partitions()[0].onOutOfRange();
    feed.onLook(new TopicLook("stream", false, new long[2], new long[2], new int[] {1, 1}));
    feed.pass();
    assertThat(events.all()).endsWith("0:4");
    assertThat(feed.needsLook()).isTrue();

    feed.onLook(new TopicLook("another", false, new long[2], new long[2], new int[] {0, 0}));
    feed.pass();
    assertThat(events.all()).endsWith("0:4", "stream");
    assertThat(feed.needsLook()).isFalse();
  }

  @Test
  void shouldRestartWhenASecondStateConfirmsThatRecordsWereRemoved() {
    open(feed);
    addRecords(feed, 0, 5);
    feed.pass();
    feed.partitions()[0].onOutOfRange();
    for (int i = 0; i < 2; i++) {
      feed.onLook(new TopicLook("stream", false, new long[2], new long[2], new int[] {1, 1}));
    }
    feed.pass();
    assertThat(events.all()).endsWith("0:4", "stream");
    assertThat(feed.needsLook()).isFalse();
  }

  @Test
  void shouldOnlyBeBlockedByAFullListener() {
    open(feed);
    events.full(true);
    addRecords(feed, 0, BACKLOG);
    assertThat(feed.pass()).isFalse();
    assertThat(feed.isBlocked()).isTrue();
    assertThat(feed.partitions()[0].isPaused()).isTrue();
    assertThat(feed.partitions()[1].isPaused()).isFalse();
    events.full(false);
    assertThat(feed.pass()).isTrue();
    assertThat(feed.isBlocked()).isFalse();
  }

  @Test
  void shouldSkipRecordsThatHaveWaitedTooLongForAFullListener() {
    TopicFeed impatient = feed(0);
    open(impatient);
    events.full(true);
    addRecords(impatient, 0, BACKLOG);
    await().until(() -> skips(impatient));
    assertThat(impatient.pass()).isFalse();
    assertThat(impatient.isBlocked()).isFalse();
    assertThat(events.all()).endsWith("missed OVERLOAD").doesNotContain("0:0");
    assertThat(impatient.partitions()[0].position().offset()).isEqualTo(2 * BACKLOG);
    assertThat(impatient.partitions()[1].next()).as("of the other partition").isZero();
  }

  private boolean skips(TopicFeed impatient) {
    impatient.pass();
    long[] ends = {2 * BACKLOG, 0};
    impatient.onLook(new TopicLook("stream", false, new long[2], ends, new int[] {1, 1}));
    return impatient.partitions()[0].next() > 0;
  }
}
