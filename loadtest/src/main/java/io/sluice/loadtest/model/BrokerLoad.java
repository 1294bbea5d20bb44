package io.sluice.loadtest.model;

import java.util.List;

/**
 * Load of the broker by all nodes. Immutable, for any thread.
 *
 * @param connections number of connections, one per node
 * @param deliveries messages per second to all nodes
 * @param gigabits payload of these per second
 * @param cores CPU
 * @param usable cores of the broker without the reserved part
 */
record BrokerLoad(
    double connections, double deliveries, double gigabits, double cores, double usable) {
  boolean isSufficient() {
    return cores <= usable;
  }

  List<PlanFigure> figures() {
    return List.of(
        PlanFigure.of("connections to the broker", "", connections),
        PlanFigure.of("messages from the broker", "/s", deliveries),
        PlanFigure.of("from the broker to all nodes", "Gb/s", gigabits),
        PlanFigure.of("CPU of the broker", "cores", cores));
  }
}
