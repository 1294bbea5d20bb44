package io.sluice.gateway.shard;

import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Element of a shard's queue. Messages, gaps and changes of the broker's state share one queue:
 * every client sees them in the order in which they happened.
 */
public sealed interface ShardEvent {
  /** A message; the shard releases its share. */
  record Delivery(ShardTopic topic, EncodedMessage encoded) implements ShardEvent {}

  /**
   * The consumer stands and everything after {@code offset} follows.
   *
   * @param losses number of losses of the broker before the consumer stood
   */
  record Attached(
      ShardTopic topic,
      TopicLog log,
      long offset,
      Channel channel,
      List<Channel> channels,
      int losses)
      implements ShardEvent {}

  /** The broker or the node refuses the topic. */
  record Refused(ShardTopic topic, ErrorCode code, String why) implements ShardEvent {}

  /** A pattern has met a new concrete topic. */
  record NewChannel(ShardTopic topic, Channel channel) implements ShardEvent {}

  /**
   * Channels of a pattern serve no new messages; the shard confirms that it has no earlier one.
   *
   * @param discards whether the shard discards earlier ones and reports a gap
   */
  record Retired(ShardTopic topic, RetiredChannels retired, boolean discards)
      implements ShardEvent {}

  /** Channels that serve no new messages. The methods are for any thread. */
  interface RetiredChannels {
    /** The channels. */
    Set<Channel> channels();

    /** No message with a higher offset uses one of the channels. */
    long lastOffset();

    /**
     * Answers for one shard.
     *
     * @param confirmed whether the shard cannot send a message with one of the channels any more
     */
    void answer(ShardTopic topic, boolean confirmed);
  }

  /** Messages may be missing here. */
  final class Gap implements ShardEvent {
    private static final long TOLD = -1;

    final ShardTopic topic;
    final GapReason reason;
    private final AtomicLong offset;

    Gap(ShardTopic topic, GapReason reason, long offset) {
      this.topic = topic;
      this.reason = reason;
      this.offset = new AtomicLong(offset);
    }

    /** The subscribers hear of it now; whatever is lost from here on is another gap. */
    void tell() {
      topic.onGap(reason, offset.getAndSet(TOLD));
    }

    /** Covers a loss at this offset, too, unless it has been told. One thread at a time. */
    boolean extendTo(long later) {
      long earlier = offset.get();
      return earlier != TOLD && offset.compareAndSet(earlier, later);
    }
  }

  /**
   * The consumer stands again; messages may be missing at this offset, unless it is WHOLE.
   *
   * @param losses number of losses of the broker before the consumer stood
   */
  record Restored(ShardTopic topic, long offset, int losses) implements ShardEvent {
    public static final long WHOLE = -1;
  }

  /**
   * The broker has delivered everything that it accepted before a time of the node's clock, to all
   * topics but those that are held.
   */
  record Proof(long timeMs) implements ShardEvent {}

  /** Proofs that follow hold for a topic only up to a time, or without {@link #NO_LIMIT}. */
  record Held(ShardTopic topic, long limitMs) implements ShardEvent {
    public static final long NO_LIMIT = Long.MAX_VALUE;
  }

  /**
   * The broker is lost, or back. A loss overtakes the mailboxes: messages that were received before
   * it may follow.
   *
   * @param losses number of losses so far, this one included
   */
  record BrokerState(boolean live, int losses) implements ShardEvent {}
}
