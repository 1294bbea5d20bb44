package io.sluice.gateway.broker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.testkit.KafkaProcess;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.ElectionType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of records that an unclean leader election removes, with three real servers. */
@Tag("full")
final class KafkaTruncationTest {
  @TempDir private static Path folder;

  private static List<KafkaProcess> servers;
  private static KafkaTopics topics;

  @BeforeAll
  static void startServers() {
    servers =
        KafkaProcess.startCluster(
            folder, 3, "unclean.leader.election.enable=true", "min.insync.replicas=1");
    topics = new KafkaTopics(addresses());
  }

  @AfterAll
  static void stopServers() {
    topics.close();
    servers.forEach(KafkaProcess::close);
  }

  private static String addresses() {
    return String.join(",", servers.stream().map(KafkaProcess::server).toList());
  }

  /** Lets the second server fall behind, by ten records that only the first one has. */
  private static void publishBehindTheSecond(String topic) throws Exception {
    servers.get(1).kill();
    topics.awaitOutOfSync(topic, 2);
    topics.publishNumbers(topic, 0, 10, 20);
  }

  /** Replaces the first server by the second one, which gets records from number 20 on. */
  private static void removeRecords(String topic, int records) throws Exception {
    servers.get(0).kill();
    servers.get(1).restart();
    topics.elect(ElectionType.UNCLEAN, topic);
    topics.publishNumbers(topic, 0, 20, 20 + records);
    servers.get(0).restart();
    topics.awaitInSync(topic);
  }

  @Test
  void shouldReportRemovedRecordsThatItHasRead() throws Exception {
    topics.createAt("read", List.of(1, 2));
    topics.publishNumbers("read", 0, 0, 10);
    try (SourceScene scene = SourceScene.start(addresses(), List.of("read"), List.of())) {
      TopicEvents events = scene.open("read").awaitActive();
      publishBehindTheSecond("read");
      events.await("19");
      removeRecords("read", 20);
      events.await("39");
      assertThat(events.all().subList(11, 14)).containsExactly("19", "stream again", "20");
      assertThat(events.all()).hasSize(33);
      assertTruncated(events);
    }
  }

  @Test
  void shouldReportRemovedRecordsBeforeItsPlace() throws Exception {
    topics.createAt("place", List.of(1, 2));
    topics.publishNumbers("place", 0, 0, 10);
    publishBehindTheSecond("place");
    try (SourceScene scene = SourceScene.start(addresses(), List.of("place"), List.of())) {
      TopicEvents events = scene.open("place").awaitActive();
      removeRecords("place", 20);
      events.await("39");
      assertThat(events.all()).startsWith("stream", "active", "stream again", "20").hasSize(23);
      assertTruncated(events);
      scene.close(events.consumer());
      assertThat(reused(scene.open("place").awaitActive()))
          .as("after the topic was not in use")
          .containsExactly(10L, 19L);
    }
  }

  private static void assertTruncated(TopicEvents events) {
    List<StreamPlace> places = events.places();
    assertThat(places).hasSize(2);
    assertThat(places.get(1).stream()).isEqualTo(places.get(0).stream());
    assertThat(offsets(places.get(1).ids())).containsExactly(9L);
    assertThat(reused(events)).containsExactly(10L, 19L);
  }

  /** A client has records of the former leader, which this node has never read. */
  @Test
  void shouldRefutePositionsWhoseOffsetsHaveOtherRecords() throws Exception {
    topics.createAt("hop", List.of(1, 2));
    topics.publishNumbers("hop", 0, 0, 10);
    List<Long> received;
    try (SourceScene first = SourceScene.start(addresses(), List.of("hop"), List.of())) {
      TopicEvents events = first.open("hop").awaitActive();
      publishBehindTheSecond("hop");
      events.await("19");
      received = events.messages().stream().map(Message::identity).toList();
    }
    removeRecords("hop", 20);
    try (SourceScene other = SourceScene.start(addresses(), List.of("hop"), List.of())) {
      TopicEvents events = other.open("hop").awaitActive();
      long place = events.places().get(0).ids()[0];
      assertThat(StreamPlace.offset(place)).isEqualTo(29);
      assertThat(readBack(other, events, received.get(0))).isEqualTo(ReadBack.REFUTED);
      assertThat(readBack(other, events, received.get(5))).isEqualTo(ReadBack.REFUTED);
      assertThat(readBack(other, events, place)).isEqualTo("0 messages");
      long kept = StreamPlace.id(0, 9, StreamPlace.mark(received.get(0)));
      assertThat(readBack(other, events, kept)).isEqualTo("20 messages");
      topics.publishNumbers("hop", 0, 40, 50);
      events.await("49");
      long last = events.messages().get(9).identity();
      assertThat(readBack(other, events, last)).isEqualTo("0 messages");
      long ahead = StreamPlace.id(0, 40, StreamPlace.mark(last));
      assertThat(readBack(other, events, ahead)).isEqualTo(ReadBack.REFUTED);
    }
  }

  private static String readBack(SourceScene scene, TopicEvents events, long claimed)
      throws Exception {
    CompletableFuture<String> answer = new CompletableFuture<>();
    StreamPlace upTo = events.places().get(0);
    scene.source.readBack(
        new ReadBack(
            InterestKey.of("hop"),
            new StreamPlace(upTo.stream(), new long[] {claimed}),
            Set.of(claimed),
            upTo,
            100,
            1_000_000,
            1 << 30,
            (messages, why) ->
                answer.complete(messages == null ? why : messages.size() + " messages")));
    return answer.get(60, TimeUnit.SECONDS);
  }

  private static long[] reused(TopicEvents events) {
    return offsets(events.places().get(events.places().size() - 1).reused());
  }

  private static long[] offsets(long[] ids) {
    return Arrays.stream(ids).map(StreamPlace::offset).toArray();
  }

  @Test
  void shouldReportRecordsThatWereRemovedUnread() throws Exception {
    topics.createAt("unread", List.of(1, 2));
    try (SourceScene scene = SourceScene.start(addresses(), List.of("unread"), List.of())) {
      TopicEvents events = scene.open("unread").awaitActive();
      events.full(true); // so that the first records wait, and no others are read
      topics.publishNumbers("unread", 0, 0, 10);
      publishBehindTheSecond("unread");
      scene.open("unread").awaitActive(); // the end of the partition is known
      removeRecords("unread", 5);
      events.await("stream again").full(false);
      events.await("24");
      assertThat(events.all()).startsWith("stream", "active", "stream again", "0");
      assertThat(events.messages()).hasSize(15);
      assertThat(reused(events)).containsExactly(0L, 19L);
    }
  }
}
