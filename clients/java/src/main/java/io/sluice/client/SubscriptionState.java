package io.sluice.client;

/** State of a subscription. */
public enum SubscriptionState {
  /** There is no connection, or the node has not answered yet. */
  PENDING,
  /** Messages are delivered. */
  LIVE,
  /**
   * The node has refused the subscription. It is requested again at the next connection, and
   * earlier if the reason is temporary.
   */
  REFUSED,
  /** The subscription or its client is closed. */
  CLOSED
}
