package io.sluice.gatling.engine;

/** Work of an action for one virtual user. Called on the event loop of the user. */
@FunctionalInterface
public interface Operation {
  /**
   * Begins the work, which ends with {@link Execution#proceed}.
   *
   * @throws IllegalArgumentException if the arguments are invalid for this user
   */
  void run(Execution execution);

  /** Returns whether a throttle of the simulation limits the operation. */
  default boolean isThrottled() {
    return false;
  }
}
