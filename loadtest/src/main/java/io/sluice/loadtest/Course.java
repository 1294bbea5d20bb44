package io.sluice.loadtest;

import io.sluice.loadtest.Inspector.RunInspection;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.io.IOException;
import java.time.Duration;

/** What is particular to one simulation. One thread calls it. */
interface Course {

  /** Before the clients of a run come. */
  default void prepare(LoadProfile load) throws IOException, InterruptedException {}

  /** Those who come and go in a run. */
  default Visits visits(int run, RunTiming timing) {
    return Visits.none();
  }

  /** Returns the number of clients of the load generators. */
  default int crowd(LoadProfile load) {
    return Math.max(0, load.clients() - load.measured());
  }

  /** Returns how many of them are connected when a run starts. */
  default int crowdAtStart(LoadProfile load) {
    return crowd(load);
  }

  /**
   * Disturbs the load generators when the warm-up has passed.
   *
   * @return null if nothing was done, otherwise how long that took
   */
  default Duration disturb(LoadGenerators generators, LoadProfile load)
      throws IOException, InterruptedException {
    return null;
  }

  /** Whether there is another run after this one. */
  default boolean goesOn(RunInspection finding) {
    return true;
  }

  /** Whether a run that ends the course has failed, or has only shown where the limit lies. */
  default boolean isFailure(RunInspection finding) {
    return true;
  }
}
