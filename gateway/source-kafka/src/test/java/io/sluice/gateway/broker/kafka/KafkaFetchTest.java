package io.sluice.gateway.broker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.testkit.KafkaProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how often new records of many partitions are fetched. */
final class KafkaFetchTest {
  private static final int PARTITIONS = 300;
  private static final int MESSAGES = 100;

  @TempDir private Path folder;

  /** Counter of the polls that have returned records. */
  public static final class Polls implements ConsumerInterceptor<byte[], byte[]> {
    private static final AtomicInteger COUNT = new AtomicInteger();

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
      COUNT.incrementAndGet();
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void configure(Map<String, ?> properties) {}

    @Override
    public void close() {}
  }

  // Each record would otherwise be fetched alone, at a cost for all partitions.
  @Tag("full")
  @Test
  void shouldFetchRecordsOfManyPartitionsTogether() throws Exception {
    try (KafkaProcess server = KafkaProcess.start(folder);
        KafkaTopics topics = new KafkaTopics(server.server())) {
      topics.create("many", PARTITIONS);
      topics.awaitInSync("many");
      Config config =
          SourceScene.config(server.server(), List.of("many"), List.of())
              .with(KafkaSettings.PROPERTIES, Map.of("interceptor.classes", Polls.class.getName()));
      try (SourceScene scene = SourceScene.start(config)) {
        TopicEvents events = scene.open("many").awaitActive();
        long beginNs = System.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
          topics.send("many", i, null, "x").get();
        }
        events.awaitMessages(MESSAGES);
        long elapsedNs = System.nanoTime() - beginNs;
        assertThat(Polls.COUNT.get())
            .isPositive()
            .isLessThanOrEqualTo((int) (1 + elapsedNs / KafkaFeed.fetchIntervalNs(PARTITIONS)));
      }
    }
  }
}
