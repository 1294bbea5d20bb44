package io.sluice.gateway.shard;

import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import java.util.List;

/** Topic of a subscription, as far as the subscription's own state uses it. Bound to the loop. */
abstract class SubscribedTopic {
  /** The topic or pattern. */
  final String name;

  SubscribedTopic(String name) {
    this.name = name;
  }

  /** The log of the node's interest; null before the first answer. */
  abstract TopicLog log();

  /** Everything up to here has been handed to those that get it as it comes. */
  abstract long offset();

  /** The latest proof that holds for this topic; 0 if there is none. */
  abstract long provenMs();

  /** The channels that a subscription's client has to be sent. */
  abstract List<Channel> channelsFor(SubscriptionState subscription);

  /** Sends a gap to one subscription: messages may be missing up to an offset. */
  abstract void tellGap(SubscriptionState subscription, GapReason reason, long at);

  /** Adds a subscription to those that get every message as it comes. */
  abstract void join(SubscriptionState subscription);

  /** Ends a subscription, answered or not. */
  abstract void end(SubscriptionState subscription);

  /** A subscription has been sent a replay, or has discarded it. */
  abstract void endReplay(Replay replay);

  /** Counts messages that were dropped for a cause. */
  abstract void dropped(String cause, int count);
}
