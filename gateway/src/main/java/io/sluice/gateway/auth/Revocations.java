package io.sluice.gateway.auth;

/** What operators have withdrawn on this node. For any thread. */
public final class Revocations {
  /** Whether a credential has been withdrawn. */
  public boolean cover(Principal principal) {
    return false;
  }
}
