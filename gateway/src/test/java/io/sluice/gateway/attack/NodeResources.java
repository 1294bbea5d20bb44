package io.sluice.gateway.attack;

import java.util.Map;

/**
 * Resources of a node at one time. Immutable.
 *
 * @param residentMib memory of the process
 * @param heapMib used heap, which holds garbage unless it was collected
 * @param buffersMib buffers in use outside of the heap
 */
record NodeResources(
    double residentMib, double heapMib, double buffersMib, double cpuSeconds, long atNs) {
  private static final double MIB = 1024 * 1024;

  /** Returns the current resources of a node, after a garbage collection. */
  static NodeResources collected(AttackedNode node) {
    node.collect();
    Map<String, Double> metrics = node.metrics();
    double heap =
        metrics.entrySet().stream()
            .filter(e -> e.getKey().startsWith("jvm_memory_used_bytes{area=\"heap\""))
            .mapToDouble(Map.Entry::getValue)
            .sum();
    return new NodeResources(
        node.residentMib(),
        heap / MIB,
        metrics.get("sluice_buffers_bytes{state=\"used\"}") / MIB,
        node.cpuSeconds(),
        System.nanoTime());
  }
}
