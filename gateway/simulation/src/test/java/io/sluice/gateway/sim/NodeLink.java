package io.sluice.gateway.sim;

/** One node's connection to the broker, and its faults. */
interface NodeLink {
  boolean isUp();

  /** Breaks the link. The node is notified a moment later. */
  void lose();

  /** Breaks the link when the broker restarts while the node is connected or connecting. */
  void onBrokerRestart();

  /** Breaks the link without notice. The node notices only by its timeout. */
  void becomeHalfOpen();

  /** Delivers nothing for a time within the configured spread. */
  void stall();

  /**
   * Delivers all topics, or one of them, more slowly than the broker accepts messages, for some
   * time.
   */
  void fallBehind();

  /** Delivers a message that the broker has accepted. */
  void route(Published message, long maxMicros);

  /** A partition of an ordered source has another leader. */
  default void onElection(int partition) {}

  /** Selects the consumers of a message that is delivered to them later. */
  void bind(LateBinding.Bound sent);

  /** Ends the link with its node. */
  void stop();
}
