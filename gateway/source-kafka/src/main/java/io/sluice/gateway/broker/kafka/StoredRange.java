package io.sluice.gateway.broker.kafka;

import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** Stored records of a topic that are read once. Bound to the thread of its {@link RangeReader}. */
interface StoredRange {
  /** Returns the Kafka topic. */
  String topic();

  /** Returns the first offset of each partition. */
  long[] from();

  /**
   * Returns the offset after the last one of each partition; not above that of {@link #from}: none.
   */
  long[] to();

  /** Returns ends that the partitions must have had, with the epochs of their leaders. */
  default Map<Integer, Collection<OffsetAndMetadata>> ends() {
    return Map.of();
  }

  /** Returns whether records that the broker has removed do not matter. */
  boolean skipsRemoved();

  /** Returns the maximum time of reading in milliseconds. */
  long timeoutMs();

  /** Returns the minimum time of reading all records so far, in nanoseconds. */
  long minNs();

  /**
   * A record was read.
   *
   * @return null to continue, otherwise the reason for which it ends
   */
  String onRecord(ConsumerRecord<byte[], byte[]> record);

  /**
   * Reading has ended.
   *
   * @param failure reason for which not all records were read, or null
   */
  void onEnd(String failure);
}
