package io.sluice.gateway.membership;

/** The node can't be in a cluster as it is configured; the message is for the operator. */
public final class UnusableCluster extends Exception {
  private static final long serialVersionUID = 1L;

  UnusableCluster(String message, Throwable cause) {
    super(message, cause);
  }
}
