package io.sluice.loadtest;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a simulation is to do. Immutable.
 *
 * @param simulation its name
 * @param given the parameters, as they were asked for
 * @param steps one after the other
 * @param runs of each step
 * @param processes that the load generators are divided among
 * @param metrics where the gateway has them
 * @param tolerance by how much the rate may differ from that of the load, 0 to 1
 * @param folder for what was found
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
    Path folder) {

  /** Whether any step has more clients than are measured. */
  boolean needsLoadGenerators() {
    return steps.stream().anyMatch(load -> load.clients() > load.measured());
  }
}
