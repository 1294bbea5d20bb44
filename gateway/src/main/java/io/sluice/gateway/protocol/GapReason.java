package io.sluice.gateway.protocol;

/** Why a client may be missing messages: docs/PROTOCOL.md, section 4. */
public enum GapReason {
  /** The consumer was away and now stands again. */
  BROKER_LOST("broker-lost"),
  /** The node could not keep up and dropped messages. */
  OVERLOAD("overload"),
  /** A message was larger than the node forwards. */
  TOO_LARGE("too-large"),
  /** A message of a kind that the node does not forward: a JMS ObjectMessage. */
  UNSUPPORTED("unsupported");

  private final String code;

  GapReason(String code) {
    this.code = code;
  }

  /** The reason as it stands on the wire. */
  public String code() {
    return code;
  }
}
