package io.sluice.gateway.shard;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Element of a shard's queue. Messages, gaps and changes of a source's state share one queue, so
 * that every client receives them in order. Created by any thread and processed by the shard's
 * event loop.
 */
public sealed interface ShardEvent {
  /** Message with a reference that the shard releases. */
  record Delivery(ShardTopic topic, EncodedMessage encoded) implements ShardEvent {}

  /**
   * Activation of the consumer; the messages after {@code offset} follow.
   *
   * @param epoch epoch of the log
   * @param place that of this offset, if the source has offsets; otherwise null
   * @param stream number of the stream in compressed frames
   * @param losses number of losses of the source before the activation
   */
  record Attached(
      ShardTopic topic,
      TopicLog log,
      long epoch,
      long offset,
      StreamPlace place,
      Channel channel,
      List<Channel> channels,
      int stream,
      int losses)
      implements ShardEvent {}

  /**
   * Beginning of another stream of the source, which is a gap; its messages follow.
   *
   * @param offset offset of the gap
   */
  record NewStream(ShardTopic topic, long epoch, StreamPlace start, long offset)
      implements ShardEvent {}

  /** Refusal of the topic by the broker or the node. */
  record Refused(ShardTopic topic, ErrorCode code, String reason) implements ShardEvent {}

  /** New concrete topic of a pattern. */
  record NewChannel(ShardTopic topic, Channel channel) implements ShardEvent {}

  /**
   * Retirement of a pattern's channels; the shard must confirm that it has no message for them.
   *
   * @param discards whether the shard discards such messages and reports a gap
   */
  record Retired(ShardTopic topic, RetiredChannels retired, boolean discards)
      implements ShardEvent {}

  /** Gap at an offset, which later losses can extend until it is reported. */
  final class Gap implements ShardEvent {
    private static final long REPORTED = -1;

    final ShardTopic topic;
    final GapReason reason;
    private final AtomicLong offset;

    Gap(ShardTopic topic, GapReason reason, long offset) {
      this.topic = topic;
      this.reason = reason;
      this.offset = new AtomicLong(offset);
    }

    /** Reports the gap to the subscribers; a later loss requires another gap. */
    void report() {
      topic.onGap(reason, offset.getAndSet(REPORTED));
    }

    /**
     * Extends the gap to an offset unless it was reported; returns whether it was extended. One
     * thread at a time may call it.
     */
    boolean extendTo(long later) {
      long earlier = offset.get();
      return earlier != REPORTED && offset.compareAndSet(earlier, later);
    }
  }

  /**
   * Reactivation of the consumer after an outage.
   *
   * @param offset offset at which messages may be missing, or {@link #WHOLE}
   * @param losses number of losses of the source before the reactivation
   */
  record Restored(ShardTopic topic, long offset, int losses) implements ShardEvent {
    public static final long WHOLE = -1;
  }

  /** A subscription has waited too long for messages before its place. */
  record Overdue(ShardTopic topic, SubscriptionState subscription) implements ShardEvent {}

  /**
   * Messages after a place up to the preceding event, with those that the log no longer has.
   *
   * @param messages null if they could not be read back from the source
   * @param refuted whether the source does not have a message that a client has received
   */
  record Earlier(ShardTopic topic, StreamPlace after, List<LogEntry> messages, boolean refuted)
      implements ShardEvent {}

  /**
   * Proof that a source has delivered everything that it accepted before a time of the node's
   * monotonic clock, to all of its topics that are not excluded.
   *
   * @param source number of the source
   */
  record Proof(int source, long timeMs) implements ShardEvent {}

  /**
   * Exclusion of a topic: later proofs are valid for it up to a time only; see {@link #NO_LIMIT}.
   */
  record ProofLimit(ShardTopic topic, long limitMs) implements ShardEvent {
    public static final long NO_LIMIT = Long.MAX_VALUE;
  }

  /**
   * Loss or return of a source. A loss overtakes the mailboxes: messages received before it may
   * follow.
   *
   * @param source number of the source
   * @param losses number of its losses so far, including this one
   */
  record SourceState(int source, boolean live, int losses) implements ShardEvent {}
}
