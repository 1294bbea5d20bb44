package io.sluice.gateway.hosts;

import java.util.ArrayList;
import java.util.List;

/**
 * Result of one step. Immutable.
 *
 * @param seconds time until all clients were live and had all messages
 * @param evenSeconds time until no node had more than its share of clients either
 * @param observations observations of its clients
 * @param orderly whether no connection may break, because nodes leave the cluster in order
 * @param mayGap maximum number of clients that may receive a gap; if it is positive, some must
 *     receive one
 * @param connects maximum number of connects per second, of all nodes
 * @param spread number of clients of each node afterwards; -1 for a node that does not run
 * @param brokerConnections number of connections of all nodes to the broker afterwards
 */
record StepResult(
    Plan plan,
    String name,
    double seconds,
    double evenSeconds,
    Observations observations,
    boolean orderly,
    int mayGap,
    double connects,
    List<Integer> spread,
    long brokerConnections) {
  StepResult {
    spread = List.copyOf(spread);
  }

  /** Returns descriptions of all violated expectations. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    check(observations.lost(), "messages lost without a gap", faults);
    check(observations.duplicates(), "duplicate messages", faults);
    check(observations.errors(), "unexpected frames or close codes", faults);
    check(observations.gaps() - mayGap, "unexpected gaps", faults);
    check(observations.gaps() == 0 ? mayGap : 0, "clients without the expected gap", faults);
    long maxRebalanced = plan.maxRebalanced(evenSeconds);
    check(
        observations.rebalanced() - maxRebalanced,
        "clients redirected above balance.rebalance-rate",
        faults);
    if (orderly) {
      checkOrder(faults);
    }
    return faults;
  }

  private void checkOrder(List<String> faults) {
    check(observations.broken(), "connections broken before the client had another", faults);
    long late = observations.moved() - observations.overlapped();
    check(late, "moves whose old connection was not open until the end", faults);
    long stayed = observations.drained() - observations.moved();
    check(stayed, "drained clients that have not moved", faults);
    long hasty = observations.leaving() - plan.maxLeaving();
    check(hasty, "clients within " + Plan.PACE_S + " s above drain.rate", faults);
    long running = spread.stream().filter(clients -> clients >= 0).count();
    check(Math.abs(brokerConnections - running), "surplus connections to the broker", faults);
  }

  private void check(long count, String what, List<String> faults) {
    if (count > 0) {
      faults.add(name + ": " + count + " " + what);
    }
  }
}
