package io.sluice.gateway.broker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.KafkaProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of reading ranges of stored records in turn. */
final class RangeReaderTest {
  private static final int LONG = 30_000;

  @TempDir private static Path folder;

  /** Ends of ranges, in order. */
  private final List<String> ends = Collections.synchronizedList(new ArrayList<>());

  private final CountDownLatch ended = new CountDownLatch(2);

  private class Range implements StoredRange {
    private final String topic;
    private final int records;
    private int read;

    Range(String topic, int records) {
      this.topic = topic;
      this.records = records;
    }

    @Override
    public String topic() {
      return topic;
    }

    @Override
    public long[] from() {
      return new long[1];
    }

    @Override
    public long[] to() {
      return new long[] {records};
    }

    @Override
    public boolean skipsRemoved() {
      return true;
    }

    @Override
    public long timeoutMs() {
      return 60_000;
    }

    @Override
    public long minNs() {
      return 0;
    }

    @Override
    public String onRecord(ConsumerRecord<byte[], byte[]> record) {
      return record.offset() == read++ ? null : "record " + record.offset() + " is out of order";
    }

    @Override
    public void onEnd(String failure) {
      ends.add("%s: %s after %d".formatted(topic, failure, read));
      ended.countDown();
    }
  }

  @Test
  void shouldReadAnotherTopicBeforeALongRangeEnds() throws Exception {
    try (KafkaProcess server = KafkaProcess.start(folder);
        KafkaTopics topics = new KafkaTopics(server.server())) {
      topics.create("long", 1);
      topics.create("short", 1);
      topics.publishNumbers("long", 0, 0, LONG);
      topics.publishNumbers("short", 0, 0, 1);
      KafkaOptions options =
          KafkaOptions.of(SourceScene.config(server.server(), List.of("long"), List.of()));
      RangeReader reader = new RangeReader(options.consumer("test"), "test-ranges");
      reader.read(
          new Range("long", LONG) {
            @Override
            public String onRecord(ConsumerRecord<byte[], byte[]> record) {
              if (record.offset() == 0) {
                reader.read(new Range("short", 1));
              }
              return super.onRecord(record);
            }
          });
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
      reader.stop();
      assertThat(ends).containsExactly("short: null after 1", "long: null after " + LONG);
    }
  }
}
