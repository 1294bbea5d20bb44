package io.sluice.loadtest;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Parameters of a simulation. Immutable, for any thread.
 *
 * @param simulation name of the simulation
 * @param given the parameters with their values
 * @param steps load profiles in execution order
 * @param runs number of runs per step
 * @param processes number of load generator processes
 * @param metrics address of the gateway's metrics
 * @param tolerance maximum relative deviation from the declared rate, 0 to 1
 * @param position of the measured clients among all clients
 * @param seed of random choices
 * @param folder for reports
 */
record LoadPlan(
    String simulation,
    Parameters given,
    GatewayTarget target,
    RunTiming timing,
    List<LoadProfile> steps,
    int runs,
    int processes,
    Optional<URI> metrics,
    Objectives objectives,
    double tolerance,
    ClientPosition position,
    long seed,
    Path folder) {

  /** Returns whether any step has more clients than measured clients. */
  boolean needsLoadGenerators() {
    return steps.stream().anyMatch(load -> load.clients() > load.measured());
  }
}
