package io.sluice.cluster;

/** Why a node cannot be in a cluster as it is configured; the text is for operators. */
public final class ClusterStartFailure extends Exception {
  private static final long serialVersionUID = 1;

  ClusterStartFailure(String what, Throwable cause) {
    super(what, cause);
  }
}
