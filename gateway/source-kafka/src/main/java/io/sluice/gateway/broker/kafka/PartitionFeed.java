package io.sluice.gateway.broker.kafka;

import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Position in one partition, and records that wait for a full listener. Feed's thread. */
final class PartitionFeed {
  private static final long NONE = -1;

  final TopicPartition partition;

  /** Records that were fetched and not passed on. */
  final Deque<ConsumerRecord<byte[], byte[]>> backlog = new ArrayDeque<>(0);

  /** Offset after the latest record that was passed on. */
  private long next;

  /** True if the consumer reads from {@link #next} on. */
  private boolean sought;

  /** True if the broker has no record at {@link #next}. */
  private boolean outOfRange;

  /** Offset at which the log was truncated, or {@link #NONE}. */
  private long truncatedTo = NONE;

  PartitionFeed(TopicPartition partition, long next) {
    this.partition = partition;
    this.next = next;
  }

  long next() {
    return next;
  }

  /** Records that the first record of the backlog was passed on. */
  void onPassed() {
    next = backlog.poll().offset() + 1;
  }

  /** Returns whether the consumer has to seek to {@link #next}; once. */
  boolean mustSeek() {
    boolean must = !sought;
    sought = true;
    return must;
  }

  /** The broker has no record at the position. */
  void onOutOfRange() {
    outOfRange = true;
  }

  /** The broker has removed records from an offset on, which may have been passed on. */
  void onTruncated(long offset) {
    outOfRange = true;
    truncatedTo = offset;
  }

  boolean isOutOfRange() {
    return outOfRange;
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
    long target = truncatedTo == NONE ? next : Math.min(truncatedTo, next);
    target = Math.max(begin, Math.min(end, target));
    boolean moved = target != next || truncatedTo != NONE;
    next = target;
    outOfRange = false;
    truncatedTo = NONE;
    sought = false;
    return moved;
  }
}
