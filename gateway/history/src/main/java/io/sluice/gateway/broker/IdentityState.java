package io.sluice.gateway.broker;

/** Evidence that the ids of messages are equal at all consumers and different from each other. */
public enum IdentityState {
  /** Consumers have received canaries with the JMSMessageIDs of their publisher. */
  VERIFIED("verified"),
  /** A configured property is the id, and no canary has refuted it. */
  PROPERTY("property"),
  /** There is no evidence yet. */
  NONE("none"),
  /** A canary has shown that ids are missing, repeated or different. */
  REFUTED("none");

  private final String code;

  IdentityState(String code) {
    this.code = code;
  }

  /** Returns the state on the wire. */
  public String code() {
    return code;
  }

  /** Returns whether identities are equal on all nodes. */
  public boolean isComparable() {
    return this == VERIFIED || this == PROPERTY;
  }
}
