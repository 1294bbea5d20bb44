package io.sluice.cluster;

/** Failure to start a cluster as configured; the message is for operators. */
public final class ClusterStartFailure extends Exception {
  private static final long serialVersionUID = 1;

  ClusterStartFailure(String what, Throwable cause) {
    super(what, cause);
  }
}
