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
 * @param brokerConnections of all nodes, afterwards
 */
record StepResult(
    Plan plan,
    String name,
    double seconds,
    double evenSeconds,
    Sightings sightings,
    boolean orderly,
    int mayGap,
    double connects,
    List<Integer> spread,
    long brokerConnections) {
  StepResult {
    spread = List.copyOf(spread);
  }

  /** What is not as it should be, in words. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    check(sightings.lost(), "messages lost without a word", faults);
    check(sightings.doubled(), "messages twice", faults);
    check(sightings.errors(), "errors told", faults);
    check(sightings.told() - mayGap, "gaps told for no reason", faults);
    check(sightings.told() == 0 ? mayGap : 0, "clients not told of their gap", faults);
    long mostShed = plan.mostShed(evenSeconds);
    check(sightings.shed() - mostShed, "clients asked to move above balance.shed-rate", faults);
    if (orderly) {
      checkOrder(faults);
    }
    return faults;
  }

  private void checkOrder(List<String> faults) {
    check(sightings.broken(), "connections broken before another was made", faults);
    long late = sightings.moved() - sightings.overlapped();
    check(late, "moves whose old connection did not stand until the end", faults);
    long stayed = sightings.sentAway() - sightings.moved();
    check(stayed, "clients told to leave that have not moved", faults);
    long hasty = sightings.leaving() - plan.mostLeaving();
    check(hasty, "clients within " + Plan.PACE_S + " s above drain.rate", faults);
    long running = spread.stream().filter(clients -> clients >= 0).count();
    check(Math.abs(brokerConnections - running), "connections to the broker too many", faults);
  }

  private void check(long count, String what, List<String> faults) {
    if (count > 0) {
      faults.add(name + ": " + count + " " + what);
    }
  }
}
