package io.sluice.cluster;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jgroups.Address;

/**
 * Other members of the current view with the latest status of each. Bound to the cluster's thread,
 * except {@link #nodes}.
 *
 * <p>At most {@link ClusterConfig#MAX_NODES} statuses are stored. Members beyond that limit are not
 * listed by {@link #nodes}.
 */
final class MemberTable {
  private final Map<Address, Status> statuses = new HashMap<>();
  private List<Address> others = List.of();
  private volatile List<Node> nodes;

  MemberTable(Node self) {
    nodes = List.of(self);
  }

  /**
   * Returns this node and the other members whose status is stored, sorted by name. Of two
   * incarnations under one name, the later is returned. Any thread may call it.
   */
  List<Node> nodes() {
    return nodes;
  }

  /**
   * Replaces the view and discards the statuses of former members.
   *
   * @param next members other than this node
   * @return the members that were not in the previous view
   */
  List<Address> onView(List<Address> next) {
    List<Address> newcomers = next.stream().filter(member -> !others.contains(member)).toList();
    others = List.copyOf(next);
    statuses.keySet().retainAll(next);
    return newcomers;
  }

  /**
   * Stores a status. Discards it if its sender is new and {@link ClusterConfig#MAX_NODES} statuses
   * are stored.
   *
   * @return false if a later status of the sender has arrived before
   */
  boolean onStatus(Address from, Status status) {
    Status before = statuses.get(from);
    if (before != null && before.number() >= status.number()) {
      return false;
    }
    // A status may arrive before the view with its sender and is stored for it.
    if (before != null || statuses.size() < ClusterConfig.MAX_NODES) {
      statuses.put(from, status);
    }
    return true;
  }

  /** Updates {@link #nodes}, with this node as announced. */
  void refresh(Node self) {
    Map<String, Node> byName = new HashMap<>();
    byName.put(self.id(), self);
    for (Address other : others) {
      Status status = statuses.get(other);
      if (status != null) {
        byName.merge(status.node().id(), status.node(), MemberTable::later);
      }
    }
    nodes = byName.values().stream().sorted(Comparator.comparing(Node::id)).toList();
  }

  private static Node later(Node one, Node other) {
    return one.incarnation() >= other.incarnation() ? one : other;
  }

  boolean hasAllStatuses() {
    return statuses.keySet().containsAll(others);
  }

  boolean isUp(Address member) {
    Status status = statuses.get(member);
    return status != null && status.node().state() == NodeState.UP;
  }
}
