package io.sluice.gateway.audit;

/**
 * Sender of a request to the admin port, for the audit log. Immutable, for any thread.
 *
 * @param address source address of the request
 * @param token name of the configured token that was used, such as {@code admin.token-file:3},
 *     never the token itself; empty without a valid token
 * @param via address of the node that forwarded the request; empty without one
 */
public record Operator(String address, String token, String via) {
  /** Creates the sender of a request that no node forwarded. */
  public Operator(String address, String token) {
    this(address, token, "");
  }

  /** Returns the sender of a request that this one, a node, forwarded for an operator. */
  public Operator forwarding(String operatorAddress) {
    return new Operator(operatorAddress, token, address);
  }
}
