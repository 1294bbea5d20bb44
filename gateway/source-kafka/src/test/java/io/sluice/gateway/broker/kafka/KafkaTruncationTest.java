package io.sluice.gateway.broker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.testkit.KafkaProcess;
import java.nio.file.Path;
import java.util.List;
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
          .containsExactly(StreamPlace.id(0, 10), StreamPlace.id(0, 19));
    }
  }

  private static void assertTruncated(TopicEvents events) {
    List<StreamPlace> places = events.places();
    assertThat(places).hasSize(2);
    assertThat(places.get(1).stream()).isEqualTo(places.get(0).stream());
    assertThat(places.get(1).ids()).containsExactly(StreamPlace.id(0, 9));
    assertThat(reused(events)).containsExactly(StreamPlace.id(0, 10), StreamPlace.id(0, 19));
  }

  private static long[] reused(TopicEvents events) {
    return events.places().get(events.places().size() - 1).reused();
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
      assertThat(reused(events)).containsExactly(StreamPlace.id(0, 0), StreamPlace.id(0, 19));
    }
  }
}
