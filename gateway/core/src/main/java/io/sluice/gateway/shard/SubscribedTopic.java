package io.sluice.gateway.shard;

import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.shard.CompressionWindow.StreamTraffic;
import java.util.List;

/** Topic as seen by the state of its subscriptions. Bound to the shard's event loop. */
abstract class SubscribedTopic {
  final InterestKey key;

  SubscribedTopic(InterestKey key) {
    this.key = key;
  }

  /** Returns the topic or pattern. */
  final String name() {
    return key.topic();
  }

  /** Returns the log of the node's interest; null before the consumer is active. */
  abstract TopicLog log();

  /** Returns the offset of the latest message sent to the live subscriptions. */
  abstract long offset();

  /** Returns the stream of the interest's messages. */
  abstract StreamTraffic stream();

  /** Returns the latest proof valid for this topic; 0 if there is none. */
  abstract long provenMs();

  /** Returns the source of its messages. */
  abstract ShardSource source();

  /** Returns the number of that source. */
  abstract int sourceNumber();

  /** Returns the channels to announce to a subscription's client. */
  abstract List<Channel> channelsFor(SubscriptionState subscription);

  /** Sends a gap up to an offset to one subscription. */
  abstract void sendGap(SubscriptionState subscription, GapReason reason, long at);

  /** Adds a subscription to the live subscriptions. */
  abstract void join(SubscriptionState subscription);

  /** Ends a subscription, whether admitted or not. */
  abstract void end(SubscriptionState subscription);

  /** Removes a subscription from the users of a snapshot. */
  abstract void endSnapshot(PromisedSnapshot snapshot);

  /** Counts messages that were dropped for a cause. */
  abstract void dropped(String cause, int count);
}
