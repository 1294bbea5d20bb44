package io.sluice.gateway.admin.query;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Nodes that have left the cluster, with the time at which this node noticed it. Bound to the admin
 * event loop.
 */
final class DepartedNodes {
  /** Maximum number of nodes; the oldest is removed at the limit. */
  static final int MAX_NODES = 100;

  private final Map<String, Long> departed = new LinkedHashMap<>();
  private Set<String> present = Set.of();

  /**
   * Sets the names of the present nodes.
   *
   * @param nowMs Unix milliseconds
   */
  void update(Set<String> names, long nowMs) {
    names.forEach(departed::remove);
    present.stream().filter(name -> !names.contains(name)).forEach(name -> add(name, nowMs));
    present = names;
  }

  private void add(String name, long nowMs) {
    if (departed.size() == MAX_NODES) {
      departed.remove(departed.keySet().iterator().next());
    }
    departed.put(name, nowMs);
  }

  /** Returns that a node is not present, and since when if that is known; null if it is present. */
  String problem(String node) {
    if (present.contains(node)) {
      return null;
    }
    Long atMs = departed.get(node);
    return atMs == null
        ? "node " + node + " is not in the cluster"
        : "node " + node + " left the cluster at " + Instant.ofEpochMilli(atMs);
  }
}
