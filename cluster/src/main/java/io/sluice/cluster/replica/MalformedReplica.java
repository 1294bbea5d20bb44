package io.sluice.cluster.replica;

/** Message of another node that cannot be decoded. */
public final class MalformedReplica extends Exception {
  private static final long serialVersionUID = 1;

  MalformedReplica(String what) {
    super(what);
  }
}
