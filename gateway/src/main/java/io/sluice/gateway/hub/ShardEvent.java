package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import java.util.List;

/**
 * What travels through a shard's one queue, so that every client sees messages, gaps and the
 * broker's coming and going in the order in which they happened.
 */
sealed interface ShardEvent {
  /** A message; the shard releases the fan-out. */
  record Delivery(ShardTopic topic, Fanout fanout) implements ShardEvent {}

  /** The consumer stands and every message after {@code offset} follows. */
  record Attached(ShardTopic topic, long offset, Channel channel, List<Channel> channels)
      implements ShardEvent {}

  /** The broker or the node refuses the topic. */
  record Refused(ShardTopic topic, ErrorCode code, String why) implements ShardEvent {}

  /** A pattern has met a new concrete topic. */
  record NewChannel(ShardTopic topic, Channel channel) implements ShardEvent {}

  /** Messages may be missing here. */
  final class Gap implements ShardEvent {
    final ShardTopic topic;
    final GapReason reason;
    private volatile boolean told;

    Gap(ShardTopic topic, GapReason reason) {
      this.topic = topic;
      this.reason = reason;
    }

    /** The subscribers hear of it now; whatever is lost from here on is another gap. */
    void tell() {
      told = true;
      topic.onGap(reason);
    }

    boolean isTold() {
      return told;
    }
  }

  /** The consumer stands again; messages may be missing here. */
  record Restored(ShardTopic topic) implements ShardEvent {}

  /** The broker is lost, or back. */
  record BrokerState(boolean live) implements ShardEvent {}
}
