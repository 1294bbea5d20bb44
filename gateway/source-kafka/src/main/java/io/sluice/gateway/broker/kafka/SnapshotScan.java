package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Snapshot of a compacted topic for interests that begin at one place: the newest record of each
 * key before it. Used by one thread at a time.
 *
 * <p>Several interests share one reading of the topic. Memory is bounded: beyond it, the oldest
 * keys are left out and counted.
 */
final class SnapshotScan implements StoredRange {
  private static final long TIMEOUT_MS = TimeUnit.MINUTES.toMillis(5);

  /** Start of the keys of records whose key is no topic. No topic begins with it. */
  private static final char INVALID = '\0';

  private static final long FULL_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private final List<KafkaInterest> interests;
  private final StreamPlace place;
  private final long[] ends;
  private final KafkaNames names;
  private final RecordReader reader;
  private final long maxBytes;
  private final GatewayMetrics metrics;
  private final Consumer<String> onEnd;
  private final InterestIndex index = new InterestIndex();
  private final KafkaNames.Mapping mapping;
  private final String topic;

  /** The newest record of each topic and key that an interest covers, the oldest one first. */
  private final Map<String, ConsumerRecord<byte[], byte[]>> newest = new LinkedHashMap<>();

  /** Interests whose snapshot lacks a record that is not forwarded, with the reason. */
  private final Map<KafkaInterest, GapReason> missing = new LinkedHashMap<>(0);

  private long bytes;
  private final List<KafkaInterest> matching = new ArrayList<>();

  /**
   * @param interests interests of one topic, at least one
   * @param ends offset after the last record of each partition
   * @param onEnd receives the reason for which the snapshot could not be read, or null
   */
  SnapshotScan(
      List<KafkaInterest> interests,
      StreamPlace place,
      long[] ends,
      KafkaOptions options,
      RecordReader reader,
      GatewayMetrics metrics,
      Consumer<String> onEnd) {
    this.interests = interests;
    this.place = place;
    this.ends = ends;
    this.names = options.names();
    this.reader = reader;
    this.maxBytes = options.snapshotBytes();
    this.metrics = metrics;
    this.onEnd = onEnd;
    this.topic = interests.get(0).route().kafkaTopic();
    this.mapping = interests.get(0).route().mapping();
    interests.forEach(index::add);
  }

  @Override
  public String topic() {
    return topic;
  }

  @Override
  public long[] from() {
    return new long[ends.length];
  }

  @Override
  public long[] to() {
    return ends;
  }

  @Override
  public boolean skipsRemoved() {
    return true;
  }

  @Override
  public long timeoutMs() {
    return TIMEOUT_MS;
  }

  @Override
  public long minNs() {
    return 0;
  }

  @Override
  public String onRecord(ConsumerRecord<byte[], byte[]> record) {
    String name = name(record);
    if (!isCovered(name)) {
      return null;
    }
    String key = key(name, record);
    ConsumerRecord<byte[], byte[]> before = key == null ? null : newest.remove(key);
    bytes -= before == null ? 0 : size(before);
    if (key != null && record.value() != null) {
      if (!reader.awaitReady(record)) {
        return RecordReader.NO_SCHEMA;
      }
      newest.put(key, record);
      bytes += size(record);
      leaveOutOldest();
    }
    return interests.stream().allMatch(KafkaInterest::isClosed) ? "no client waits" : null;
  }

  private void leaveOutOldest() {
    Iterator<ConsumerRecord<byte[], byte[]>> oldest = newest.values().iterator();
    while (bytes > maxBytes && oldest.hasNext()) {
      bytes -= size(oldest.next());
      oldest.remove();
      metrics.leftOutOfSnapshots();
    }
  }

  private String name(ConsumerRecord<byte[], byte[]> record) {
    return names.topic(mapping, record);
  }

  // Partitions that are topics may have the same keys.
  private String key(String name, ConsumerRecord<byte[], byte[]> record) {
    if (name != null && mapping == KafkaNames.Mapping.KEYED) {
      return name;
    }
    String key = RecordReader.key(record);
    if (name == null) {
      return INVALID + key;
    }
    return key == null || mapping == KafkaNames.Mapping.PLAIN ? key : name + '/' + key;
  }

  // A key that is no topic may belong to each pattern.
  private boolean isCovered(String name) {
    matching.clear();
    if (name == null) {
      index.forEachPattern(matching::add);
    } else {
      index.addMatching(name, matching);
    }
    return !matching.isEmpty();
  }

  private static long size(ConsumerRecord<byte[], byte[]> record) {
    return Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
  }

  @Override
  public void onEnd(String failure) {
    if (failure == null) {
      newest.values().forEach(this::pass);
      missing.forEach(this::reportMissing); // last: a snapshot with messages before it ends with it
    }
    onEnd.accept(failure);
  }

  private void pass(ConsumerRecord<byte[], byte[]> record) {
    String name = name(record);
    if (!isCovered(name)) {
      return;
    }
    if (name == null) {
      reader.onInvalidKey(record);
      leaveOut(GapReason.UNSUPPORTED);
      return;
    }
    try {
      Message message = reader.read(record, name, mapping);
      matching.forEach(interest -> passTo(interest, message, record));
    } catch (RecordReader.Refused e) {
      leaveOut(e.reason());
    }
  }

  private void leaveOut(GapReason reason) {
    metrics.leftOutOfSnapshots();
    matching.forEach(interest -> missing.put(interest, reason));
  }

  private void reportMissing(KafkaInterest interest, GapReason reason) {
    if (interest.place() == place) {
      interest.deliverMissed(reason);
    }
  }

  private void passTo(
      KafkaInterest interest, Message message, ConsumerRecord<byte[], byte[]> record) {
    while (!interest.isClosed() && interest.listener().isFull()) {
      LockSupport.parkNanos(FULL_NS);
    }
    if (interest.place() == place) { // otherwise the topic was created again
      interest.deliver(message, record);
    }
  }
}
