package io.sluice.gateway.session;

/** Reason for which a connected client is redirected to another node. */
public enum MoveReason {
  /** Nodes should have equally many clients; clients rest between two moves. */
  BALANCE("shed"),
  /** This node has lost its broker, which others have; no client rests here. */
  BROKER_LOST("broker-lost");

  private final String cause;

  MoveReason(String cause) {
    this.cause = cause;
  }

  /** The tag of the metric. */
  String cause() {
    return cause;
  }
}
