package io.sluice.gateway.shard;

import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.SubscriptionFigures;

/**
 * Subscription of one client to a topic, identified by the topic or, if it is tagged, by its ref.
 * Bound to the event loop of the client's shard.
 */
public interface Subscription {
  /** Returns the key of the interest. */
  InterestKey key();

  /** Returns the topic or pattern. */
  default String topic() {
    return key().topic();
  }

  /** Returns the client's number of the subscribe request. */
  long ref();

  /** Returns whether it is identified by its ref, which its frames carry. */
  boolean isTagged();

  /** Returns the delivery mode requested by the client. */
  Delivery delivery();

  /**
   * Returns the latest proof of delivery valid for its topic that covers no message held for its
   * client. It is 0 if there is none, and {@link Long#MAX_VALUE} if its source proves no delivery.
   */
  long provenMs();

  /** Returns the number of the source of its topic. */
  int source();

  /** Returns its figures for operators. */
  SubscriptionFigures figures();

  /** Returns the number of gaps sent to the client, up to the largest byte. */
  int gaps();

  /** Ends the subscription, whether admitted or not. */
  void end();
}
