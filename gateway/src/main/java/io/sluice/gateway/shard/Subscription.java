package io.sluice.gateway.shard;

import io.sluice.gateway.protocol.Delivery;

/**
 * One client's subscription to a topic, identified by its topic or, if it is tagged, by its ref.
 * Bound to the event loop of the client's shard.
 */
public interface Subscription {
  /** The topic or pattern. */
  String topic();

  /** The client's number for the frame that asked for it. */
  long ref();

  /** Whether it is identified by its ref, which its frames carry. */
  boolean isTagged();

  /** The delivery mode that the client asked for. */
  Delivery delivery();

  /** The latest proof that the broker delivers which holds for its topic; 0 if there is none. */
  long provenMs();

  /** Whether its client has not been sent all that others have. */
  boolean isBehind();

  /** Ends the subscription, answered or not. */
  void end();
}
