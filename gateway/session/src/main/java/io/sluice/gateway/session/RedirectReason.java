package io.sluice.gateway.session;

/** Reasons for redirecting a connected client to another node. */
public enum RedirectReason {
  /** Rebalancing of connections; the cooldown of a client is respected. */
  BALANCE("rebalance"),
  /** Command of an operator; the cooldown of a new client is ignored. */
  COMMAND("command"),
  /**
   * This node has lost its broker and others have theirs; the cooldown of a new client is ignored.
   */
  BROKER_LOST("broker-lost");

  private final String cause;

  RedirectReason(String cause) {
    this.cause = cause;
  }

  /** Returns the tag of the metric. */
  String cause() {
    return cause;
  }
}
