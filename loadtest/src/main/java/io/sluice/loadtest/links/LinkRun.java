package io.sluice.loadtest.links;

import java.util.List;

/**
 * Figures of one run. Immutable, for any thread.
 *
 * @param multicast whether roots had a multicast group
 * @param messages messages per second that a subscriber received, without a rate
 * @param busy share of the machine's processors in use during it, 0 to 1
 * @param cpuMicros CPU time of a node of each tier per message from the broker
 * @param latency at each tier since messages were due, at the configured rate
 * @param added latency that each tier adds to that of the tier before; 0 for the first
 */
record LinkRun(
    LinkScenario scenario,
    boolean multicast,
    int bytes,
    int peers,
    int number,
    double messages,
    double busy,
    List<Double> cpuMicros,
    List<LinkFigures.Percentiles> latency,
    List<LinkFigures.Percentiles> added) {
  private static final double MEGA = 1e6;

  String transport() {
    return multicast ? "multicast" : "tcp";
  }

  /** Returns the payload in MB/s that a subscriber received. */
  double megabytes() {
    return messages * bytes / MEGA;
  }
}
