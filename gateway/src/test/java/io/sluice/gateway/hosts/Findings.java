package io.sluice.gateway.hosts;

import io.sluice.gateway.hosts.HostedNode.Traffic;
import java.util.ArrayList;
import java.util.List;

/**
 * Result of a scenario. Immutable.
 *
 * @param steps in chronological order
 * @param traffic between three idle nodes
 */
record Findings(Plan plan, List<StepResult> steps, Traffic traffic) {
  private static final int PAIRS = Site.NODES * (Site.NODES - 1) / 2;

  /** Heartbeats between two nodes per second, in both directions, including all headers. */
  private static final int HEARTBEAT_BYTES = 300;

  /**
   * Message to another node about a changed figure, including all headers and its acknowledgement.
   */
  private static final int STATUS_BYTES = 400;

  Findings {
    steps = List.copyOf(steps);
  }

  /** Returns the bytes per second between two idle nodes. */
  double bytesPerPair() {
    return (double) traffic.bytes() / PAIRS / plan.quietS();
  }

  /**
   * Returns the maximum of {@link #bytesPerPair} if all nodes report their load as often as
   * permitted.
   */
  double maxBytesPerPair() {
    return HEARTBEAT_BYTES + 2 * STATUS_BYTES * 1000.0 / plan.reportMs();
  }

  /** Returns descriptions of all violated expectations. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    steps.forEach(step -> faults.addAll(step.faults()));
    if (bytesPerPair() > maxBytesPerPair()) {
      faults.add(
          "two idle nodes exchange %.0f bytes per second, above the maximum"
              .formatted(bytesPerPair()));
    }
    return faults;
  }
}
