package io.sluice.gateway.protocol;

/** Reasons for which a client may miss messages: docs/PROTOCOL.md, section 4. */
public enum GapReason {
  /** The consumer was interrupted and is active again. */
  BROKER_LOST("broker-lost"),
  /** The node could not keep up and dropped messages. */
  OVERLOAD("overload"),
  /** A message was larger than the node forwards. */
  TOO_LARGE("too-large"),
  /** A message had a type that the node does not forward: a JMS ObjectMessage. */
  UNSUPPORTED("unsupported");

  private final String code;

  GapReason(String code) {
    this.code = code;
  }

  /** Returns the reason on the wire. */
  public String code() {
    return code;
  }
}
