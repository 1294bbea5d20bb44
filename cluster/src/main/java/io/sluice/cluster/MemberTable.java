package io.sluice.cluster;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jgroups.Address;

/**
 * Members of the current view with the latest status of each. Bound to the cluster's thread, except
 * {@link #nodes}.
 */
final class MemberTable {
  private final Map<Address, ClusterMessage.Status> statuses = new HashMap<>();
  private List<Address> others = List.of();
  private volatile List<Node> nodes;

  MemberTable(Node self) {
    nodes = List.of(self);
  }

  /**
   * Returns all nodes by name; of two incarnations under one name, the later. Any thread may call
   * it.
   */
  List<Node> nodes() {
    return nodes;
  }

  /** Replaces the view; returns the members that were not in the previous one. */
  List<Address> onView(List<Address> next) {
    List<Address> newcomers = next.stream().filter(member -> !others.contains(member)).toList();
    others = List.copyOf(next);
    statuses.keySet().retainAll(next);
    return newcomers;
  }

  /** Stores a status; returns false if a later one has arrived before. */
  boolean onStatus(Address from, ClusterMessage.Status status) {
    ClusterMessage.Status before = statuses.get(from);
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
      ClusterMessage.Status status = statuses.get(other);
      if (status != null) {
        byName.merge(status.node().id(), status.node(), MemberTable::later);
      }
    }
    nodes = byName.values().stream().sorted(Comparator.comparing(Node::id)).toList();
  }

  private static Node later(Node one, Node other) {
    return one.incarnation() >= other.incarnation() ? one : other;
  }

  boolean isAlone() {
    return others.isEmpty();
  }

  boolean has(Address member) {
    return others.contains(member);
  }

  boolean hasAllStatuses() {
    return statuses.keySet().containsAll(others);
  }

  boolean isUp(Address member) {
    ClusterMessage.Status status = statuses.get(member);
    return status != null && status.node().state() == NodeState.UP;
  }

  /**
   * Returns the other nodes whose status is known. They may have clients in any state: a node that
   * has lost its broker is joining again.
   */
  List<Address> withStatus() {
    return others.stream().filter(statuses::containsKey).toList();
  }
}
