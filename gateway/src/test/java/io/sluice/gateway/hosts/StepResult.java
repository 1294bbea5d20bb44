package io.sluice.gateway.hosts;

import java.util.ArrayList;
import java.util.List;

/**
 * One step as it went. Immutable.
 *
 * @param seconds until all clients were live and had everything
 * @param evenSeconds until no node had more than its share, too
 * @param sightings of its clients
 * @param orderly whether nobody's connection may break, because nodes go in order if they go
 * @param mayGap how many clients may be told of a gap; if any may, some must be
 * @param connects the most in a second, of all nodes
 * @param spread clients of each node afterwards, in their order; -1 for one that does not run
 */
record StepResult(
    String name,
    double seconds,
    double evenSeconds,
    Sightings sightings,
    boolean orderly,
    int mayGap,
    double connects,
    List<Integer> spread) {
  StepResult {
    spread = List.copyOf(spread);
  }

  /** What is not as it should be, in words. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    check(sightings.lost(), "messages lost without a word", faults);
    check(sightings.doubled(), "messages twice", faults);
    check(sightings.errors(), "errors told", faults);
    check(Math.max(0, sightings.told() - mayGap), "gaps told for no reason", faults);
    check(sightings.told() == 0 ? mayGap : 0, "clients not told of their gap", faults);
    check(orderly ? sightings.broken() : 0, "connections broken before another was made", faults);
    return faults;
  }

  private void check(long count, String what, List<String> faults) {
    if (count > 0) {
      faults.add(name + ": " + count + " " + what);
    }
  }
}
