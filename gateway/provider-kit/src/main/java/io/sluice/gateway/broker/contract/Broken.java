package io.sluice.gateway.broker.contract;

/** Behavior that differs from the contract without a refusal. */
final class Broken extends Exception {
  private static final long serialVersionUID = 1;

  Broken(String what) {
    super(what);
  }

  /** Fails if a condition is not met. */
  static void unless(boolean met, String what) throws Broken {
    if (!met) {
      throw new Broken(what);
    }
  }
}
