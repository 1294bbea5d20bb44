package io.sluice.gateway.broker.kafka;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Position in one partition, and records that wait for a full listener. Feed's thread. */
final class PartitionFeed {
  final TopicPartition partition;

  /** Records that were fetched and not passed on. */
  final Deque<ConsumerRecord<byte[], byte[]>> backlog = new ArrayDeque<>(0);

  /** Offset after the latest record that was passed on. */
  private long next;

  /** Epoch of the leader at {@link #next}, with which brokers detect a truncation. */
  private Optional<Integer> epoch;

  /** True if the consumer reads from {@link #next} on. */
  private boolean sought;

  /** True if the broker has no record at the position. */
  private boolean outOfRange;

  /** True if the broker has removed records from the end of its log. */
  private boolean truncated;

  /** Offset and epoch of the end that is left, if {@link #truncated}; null if it is unknown. */
  private OffsetAndMetadata left;

  PartitionFeed(TopicPartition partition, long next, Optional<Integer> epoch) {
    this.partition = partition;
    this.next = next;
    this.epoch = epoch;
  }

  long next() {
    return next;
  }

  /** Records that the first record of the backlog was passed on. */
  void onPassed() {
    ConsumerRecord<byte[], byte[]> passed = backlog.poll();
    next = passed.offset() + 1;
    epoch = passed.leaderEpoch();
  }

  /** Returns whether the consumer has to seek to {@link #position}; once. */
  boolean mustSeek() {
    boolean must = !sought;
    sought = true;
    return must;
  }

  /** Returns the position from which on the consumer reads. */
  OffsetAndMetadata position() {
    return new OffsetAndMetadata(next, epoch, "");
  }

  /** The broker has no record at the position. */
  void onOutOfRange() {
    outOfRange = true;
  }

  /**
   * The broker has removed records from the end of its log, which may have been passed on.
   *
   * @param end offset and epoch of the end that is left; null if they are unknown
   */
  void onTruncated(OffsetAndMetadata end) {
    outOfRange = true;
    truncated = true;
    left = end;
  }

  /** Returns whether {@link #recover} has to be called, now that all records are passed on. */
  boolean mustRecover() {
    return outOfRange && backlog.isEmpty();
  }

  /** Returns whether the consumer must not fetch. */
  boolean isPaused() {
    return outOfRange || !backlog.isEmpty();
  }

  /**
   * Moves the position into the range of stored records.
   *
   * @return whether records were removed that were not passed on, or some that were
   */
  boolean recover(long begin, long end) {
    long target = left == null ? next : Math.min(left.offset(), next);
    long stored = Math.max(begin, Math.min(end, target));
    boolean moved = truncated || stored != next;
    if (moved) {
      epoch = left == null || stored != left.offset() ? Optional.empty() : left.leaderEpoch();
    }
    next = stored;
    outOfRange = false;
    truncated = false;
    left = null;
    sought = false;
    return moved;
  }
}
