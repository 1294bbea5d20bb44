package io.sluice.gateway.hosts;

import io.sluice.gateway.hosts.HostedNode.Traffic;
import java.util.ArrayList;
import java.util.List;

/**
 * What a scenario has found. Immutable.
 *
 * @param scale with one node, two and three
 * @param steps in their order
 * @param traffic what nodes have said to each other while nothing happened
 */
record Findings(Plan plan, List<ScaleResult> scale, List<StepResult> steps, Traffic traffic) {
  private static final double MOST_RATIO = 1.1;

  Findings {
    scale = List.copyOf(scale);
    steps = List.copyOf(steps);
  }

  /** What so many nodes cost, held against one. */
  double ratio(ScaleResult result) {
    return result.cpuMicros() / scale.get(0).cpuMicros();
  }

  /** What is not as it should be, in words. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    steps.forEach(step -> faults.addAll(step.faults()));
    scale.forEach(result -> check(result, faults));
    return faults;
  }

  private void check(ScaleResult result, List<String> faults) {
    if (result.brokerConnections() != result.nodes()) {
      faults.add(
          "%d connections to the broker of %d nodes"
              .formatted(result.brokerConnections(), result.nodes()));
    }
    if (plan.isFull() && ratio(result) > MOST_RATIO) {
      faults.add("a frame costs %.2f times as much".formatted(ratio(result)));
    }
  }
}
