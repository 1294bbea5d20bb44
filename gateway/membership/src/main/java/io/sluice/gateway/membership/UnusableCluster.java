package io.sluice.gateway.membership;

/** Cluster configuration that cannot be used; the message is for the operator. */
public final class UnusableCluster extends Exception {
  private static final long serialVersionUID = 1L;

  UnusableCluster(String message, Throwable cause) {
    super(message, cause);
  }
}
