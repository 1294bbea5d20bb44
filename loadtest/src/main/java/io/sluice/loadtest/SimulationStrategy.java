package io.sluice.loadtest;

import io.sluice.loadtest.Inspector.RunInspection;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.io.IOException;
import java.time.Duration;

/** Behaviour that differs between simulations. Called by the campaign's thread. */
interface SimulationStrategy {

  /** Prepares a run before its clients connect. */
  default void prepare(LoadProfile load) throws IOException, InterruptedException {}

  /**
   * Starts to connect the measured clients of a run. The default does nothing, because Gatling's
   * users connect on their own.
   */
  default void connect(ActiveRun run) {}

  /** Returns the schedule of a run's transient clients. */
  default ArrivalSchedule arrivals(int run, RunTiming timing) {
    return ArrivalSchedule.none();
  }

  /** Returns the number of clients of the load generators. */
  default int generatedClients(LoadProfile load) {
    return Math.max(0, load.clients() - load.measured());
  }

  /** Returns the number of these clients connected when a run starts. */
  default int initialGeneratedClients(LoadProfile load) {
    return generatedClients(load);
  }

  /**
   * Changes the load generators' connections after the warm-up.
   *
   * @return the duration of the change, or null without one
   */
  default Duration disturb(LoadGenerators generators, LoadProfile load)
      throws IOException, InterruptedException {
    return null;
  }

  /** Returns whether another run follows. */
  default boolean continuesAfter(RunInspection inspection) {
    return true;
  }

  /** Returns whether a run with violations is a failure. Otherwise it determines the limit. */
  default boolean isFailure(RunInspection inspection) {
    return true;
  }
}
