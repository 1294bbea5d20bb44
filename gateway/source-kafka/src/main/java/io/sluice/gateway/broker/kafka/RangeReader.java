package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.limits.FairExecutor;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader of stored records: a consumer with one thread, which reads a slice of one range at a time.
 * Topics take turns. Any thread may add ranges.
 */
final class RangeReader {
  private static final Logger log = LoggerFactory.getLogger(RangeReader.class);
  private static final int MAX_RANGES = 256;
  private static final Duration POLL = Duration.ofMillis(500);

  /** Records after which other topics have their turn. */
  private static final int SLICE = 10_000;

  private static final Duration VERIFY = Duration.ofSeconds(5);

  /** Longest time of a poll that counts, because the process may be paused in it. */
  private static final long MAX_STEP_NS = TimeUnit.SECONDS.toNanos(1);

  private static final String REMOVED = "the cluster has removed some of the messages";

  private final Map<String, Object> properties;
  private final FairExecutor executor;
  private volatile boolean stopped;

  /** Null while there is none. Used by the thread only. */
  private Consumer<byte[], byte[]> consumer;

  /** A range that cannot be read. */
  private static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreadable(String reason) {
      super(reason, null, false, false); // carries a value, not a bug: no stack trace
    }
  }

  RangeReader(Map<String, Object> properties, String threadName) {
    this.properties = properties;
    this.executor = new FairExecutor(1, MAX_RANGES, threadName);
  }

  /** Range that is being read. */
  private static final class Reading {
    final StoredRange range;
    final long beginNs = System.nanoTime();
    long spentNs;

    /** Ends of the partitions that are not complete; null before the first slice. */
    Map<TopicPartition, Long> ends;

    /** Offsets at which the next slice begins. */
    final Map<TopicPartition, Long> next = new HashMap<>();

    Reading(StoredRange range) {
      this.range = range;
    }
  }

  /** Queues a range. */
  void read(StoredRange range) {
    if (!executor.execute(range.topic(), () -> read(new Reading(range)))) {
      range.onEnd("too many reads of stored messages wait");
    }
  }

  private void read(Reading reading) {
    String failure = failureOf(reading);
    while (failure == null && !reading.ends.isEmpty()) {
      if (executor.execute(reading.range.topic(), () -> read(reading))) {
        return;
      }
      failure = failureOf(reading);
    }
    reading.range.onEnd(failure);
  }

  void stop() {
    stopped = true;
    executor.stop(this::closeConsumer);
  }

  private String failureOf(Reading reading) {
    StoredRange range = reading.range;
    try {
      readSlice(open(), reading);
      return null;
    } catch (Unreadable e) {
      return e.getMessage();
    } catch (LogTruncationException e) {
      return ReadBack.REFUTED;
    } catch (OffsetOutOfRangeException e) {
      return REMOVED;
    } catch (RuntimeException | LinkageError e) {
      log.atWarn()
          .addKeyValue("topic", range.topic())
          .addKeyValue("cause", SourceState.describe(e))
          .log("source.read-failed");
      closeConsumer();
      return "the cluster does not respond";
    }
  }

  private Consumer<byte[], byte[]> open() {
    if (consumer == null) {
      consumer = new KafkaConsumer<>(properties);
    }
    return consumer;
  }

  private void closeConsumer() {
    if (consumer != null) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
      consumer = null;
    }
  }

  /** Reads until the range is complete, or another topic has its turn. */
  private void readSlice(Consumer<byte[], byte[]> from, Reading reading) throws Unreadable {
    StoredRange range = reading.range;
    begin(from, reading);
    long limitNs = TimeUnit.MILLISECONDS.toNanos(range.timeoutMs());
    int records = 0;
    try {
      while (!reading.ends.isEmpty() && !(records >= SLICE && executor.hasWaiting())) {
        if (stopped || reading.spentNs > limitNs) {
          throw new Unreadable("the cluster did not send the messages in time");
        }
        long beforeNs = System.nanoTime();
        records += poll(from, range, reading.ends);
        reading.spentNs += Math.min(System.nanoTime() - beforeNs, MAX_STEP_NS);
        awaitTime(reading.beginNs + range.minNs());
      }
      reading.ends.keySet().forEach(each -> reading.next.put(each, from.position(each)));
    } finally {
      from.assign(List.of());
    }
  }

  private static void begin(Consumer<byte[], byte[]> from, Reading reading) throws Unreadable {
    if (reading.ends == null) {
      verify(from, reading.range);
      reading.ends = assign(from, reading.range);
    } else {
      from.assign(reading.ends.keySet());
      reading.ends.keySet().forEach(each -> from.seek(each, reading.next.get(each)));
    }
  }

  // Brokers compare an end with those of their leaders' epochs.
  private static void verify(Consumer<byte[], byte[]> from, StoredRange range) {
    range
        .ends()
        .forEach(
            (number, ends) -> {
              TopicPartition partition = new TopicPartition(range.topic(), number);
              from.assign(List.of(partition));
              from.beginningOffsets(List.of(partition)); // its leader is known then
              for (OffsetAndMetadata end : ends) {
                from.seek(partition, end);
                from.position(partition, VERIFY);
              }
            });
  }

  private void awaitTime(long endNs) {
    long leftNs = endNs - System.nanoTime();
    while (leftNs > 0 && !stopped) {
      LockSupport.parkNanos(Math.min(leftNs, MAX_STEP_NS));
      leftNs = endNs - System.nanoTime();
    }
  }

  /** Seeks to the first records; returns the ends of partitions with records. */
  private static Map<TopicPartition, Long> assign(Consumer<byte[], byte[]> from, StoredRange range)
      throws Unreadable {
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (int i = 0; i < range.to().length; i++) {
      if (range.to()[i] > range.from()[i]) {
        ends.put(new TopicPartition(range.topic(), i), range.to()[i]);
      }
    }
    Map<TopicPartition, Long> begins = from.beginningOffsets(ends.keySet());
    from.assign(ends.keySet());
    for (TopicPartition partition : List.copyOf(ends.keySet())) {
      long begin = begins.get(partition);
      long first = range.from()[partition.partition()];
      if (begin > first && !range.skipsRemoved()) {
        throw new Unreadable(REMOVED);
      }
      from.seek(partition, Math.max(begin, first));
      if (begin >= ends.get(partition)) {
        ends.remove(partition);
        from.pause(List.of(partition));
      }
    }
    return ends;
  }

  /** Reads some records; removes partitions that are complete. Returns the number of records. */
  private static int poll(
      Consumer<byte[], byte[]> from, StoredRange range, Map<TopicPartition, Long> ends)
      throws Unreadable {
    ConsumerRecords<byte[], byte[]> records = from.poll(POLL);
    for (ConsumerRecord<byte[], byte[]> record : records) {
      Long end = ends.get(new TopicPartition(record.topic(), record.partition()));
      String reason = end != null && record.offset() < end ? range.onRecord(record) : null;
      if (reason != null) {
        throw new Unreadable(reason);
      }
    }
    for (TopicPartition partition : List.copyOf(ends.keySet())) {
      if (from.position(partition) >= ends.get(partition)) {
        ends.remove(partition);
        from.pause(List.of(partition));
      }
    }
    return records.count();
  }
}
