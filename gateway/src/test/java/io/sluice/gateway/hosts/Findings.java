package io.sluice.gateway.hosts;

import io.sluice.gateway.hosts.HostedNode.Traffic;
import java.util.ArrayList;
import java.util.List;

/**
 * What a scenario has found. Immutable.
 *
 * @param steps in their order
 * @param traffic what three nodes have said to each other while nothing happened
 */
record Findings(Plan plan, List<StepResult> steps, Traffic traffic) {
  private static final int PAIRS = Site.NODES * (Site.NODES - 1) / 2;

  /** Of two nodes in a second, both ways, with all headers: signs of life. */
  private static final int LIFE_BYTES = 300;

  /** Of a node to another one, that a figure has changed; with all headers and their answer. */
  private static final int STATUS_BYTES = 400;

  Findings {
    steps = List.copyOf(steps);
  }

  /** What two nodes say to each other in a second. */
  double bytesOfAPair() {
    return (double) traffic.bytes() / PAIRS / plan.quietS();
  }

  /** The same, if all nodes tell of themselves as often as they may. */
  double mostBytesOfAPair() {
    return LIFE_BYTES + 2 * STATUS_BYTES * 1000.0 / plan.reportMs();
  }

  /** What is not as it should be, in words. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    steps.forEach(step -> faults.addAll(step.faults()));
    if (bytesOfAPair() > mostBytesOfAPair()) {
      faults.add("two nodes say %.0f bytes a second for no reason".formatted(bytesOfAPair()));
    }
    return faults;
  }
}
