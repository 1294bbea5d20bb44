package io.sluice.gateway.audit;

/**
 * Sender of a request to the admin port or of a signal, for the audit log. Immutable, for any
 * thread.
 *
 * @param address source address of the request; empty for a signal
 * @param credential name of the credential that was used, never the token itself. A configured
 *     token has a name such as {@code admin.token-file:3}; a JWT has {@code oidc:} and its subject;
 *     a signal has its name. Empty without a valid credential
 * @param via address of the node that forwarded the request; empty without one
 */
public record Operator(String address, String credential, String via) {
  /** Sender of SIGHUP, whose process the system does not name. */
  public static final Operator HANGUP = new Operator("", "SIGHUP");

  /** Creates the sender of a request that no node forwarded. */
  public Operator(String address, String credential) {
    this(address, credential, "");
  }

  /** Returns the key of the user who shares pools with others. Operators may share a token. */
  public String user() {
    return credential + ' ' + address;
  }

  /** Returns the sender of a request that this one, a node, forwarded for an operator. */
  public Operator forwarding(String operatorAddress) {
    return new Operator(operatorAddress, credential, address);
  }
}
