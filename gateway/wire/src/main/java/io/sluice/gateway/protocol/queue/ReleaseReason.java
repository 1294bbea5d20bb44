package io.sluice.gateway.protocol.queue;

/** Reasons for which the node takes pending messages of a queue back from a client. */
public enum ReleaseReason {
  /** The client did not settle the message in time. */
  TIMEOUT("timeout"),
  /** The connection to the broker was lost. */
  BROKER_LOST("broker-lost");

  private final String code;

  ReleaseReason(String code) {
    this.code = code;
  }

  /** Returns the reason on the wire. */
  public String code() {
    return code;
  }
}
