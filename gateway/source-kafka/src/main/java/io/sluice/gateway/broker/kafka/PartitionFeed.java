package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.OverdueBacklog;
import io.sluice.gateway.broker.StreamPlace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Position in one partition, and records that wait for a full listener. Feed's thread. */
final class PartitionFeed {
  private static final int MAX_LEADERS = 100;

  final TopicPartition partition;

  /** Records that were fetched and not passed on. */
  final Deque<ConsumerRecord<byte[], byte[]>> backlog = new ArrayDeque<>(0);

  /** Offset after the latest record that was passed on. */
  private long next;

  /** Epoch of the leader at {@link #next}, with which brokers detect a truncation. */
  private Optional<Integer> epoch;

  /** The latest leaders, by the offset of the first record of each that was passed on. */
  private final NavigableMap<Long, Integer> leaders = new TreeMap<>();

  /** True if the consumer reads from {@link #next} on. */
  private boolean sought;

  /** True if the broker has no record at the position. */
  private boolean outOfRange;

  /** True after the first state since the failure. */
  private boolean doubted;

  /** True if the broker has removed records from the end of its log. */
  private boolean truncated;

  /** Offset and epoch of the end that is left, if {@link #truncated}; null if it is unknown. */
  private OffsetAndMetadata left;

  private final OverdueBacklog overdue;

  PartitionFeed(TopicPartition partition, long next, Optional<Integer> epoch, long maxLagMs) {
    this.overdue = new OverdueBacklog(maxLagMs);
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
    boolean isOther = leaders.isEmpty() || !epoch.equals(passed.leaderEpoch());
    epoch = passed.leaderEpoch();
    if (isOther && epoch.isPresent()) {
      leaders.put(passed.offset(), epoch.get());
      if (leaders.size() > MAX_LEADERS) {
        leaders.pollFirstEntry();
      }
    }
  }

  /** Records that the next record waits for a full listener. */
  void onFull(long nowNs) {
    overdue.onFull(nowNs);
  }

  /** Moves the position to the end if records have waited for too long. Returns whether it has. */
  boolean skipOverdue(long end, Optional<Integer> endEpoch, long nowNs) {
    if (outOfRange || end <= next || !overdue.isOverdue(next, end, nowNs)) {
      return false;
    }
    backlog.clear();
    next = end;
    epoch = endEpoch;
    sought = false;
    return true;
  }

  /** Returns the identity of the latest record that was passed on. */
  long latest() {
    return StreamPlace.id(partition.partition(), next - 1, epoch.orElse(0));
  }

  /** Returns whether a record was passed on, or one at a later offset. */
  boolean hasPassed(long id) {
    return next > StreamPlace.offset(id);
  }

  /**
   * Returns whether a record was passed on instead of one, whose mark is that of a former leader.
   */
  boolean refutes(long id) {
    Map.Entry<Long, Integer> leader = leaders.floorEntry(StreamPlace.offset(id));
    int unused = Integer.SIZE - StreamPlace.markBits(id);
    return leader != null && leader.getValue() - StreamPlace.mark(id) << unused > 0;
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
   * Moves the position into the range of stored records. The first state after a failure counts
   * only if it proves a loss: it may combine a deleted topic with the offsets of its successor.
   *
   * @return whether records were removed that were not passed on, or some that were
   */
  boolean recover(TopicLook look, boolean isProven) {
    doubted = !doubted && !isProven;
    if (doubted) {
      return false;
    }
    long target = left == null ? next : Math.min(left.offset(), next);
    int index = partition.partition();
    long stored = Math.max(look.begins()[index], Math.min(look.ends()[index], target));
    boolean moved = truncated || stored != next;
    if (moved) {
      epoch = left == null || stored != left.offset() ? Optional.empty() : left.leaderEpoch();
    }
    next = stored;
    leaders.tailMap(stored, true).clear();
    outOfRange = false;
    truncated = false;
    left = null;
    sought = false;
    return moved;
  }
}
