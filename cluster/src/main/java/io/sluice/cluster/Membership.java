package io.sluice.cluster;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jgroups.Address;

/**
 * Who is in the view, and what each of them said last. Bound to the cluster's thread, but {@link
 * #nodes}.
 */
final class Membership {
  private final Map<Address, ClusterMessage.Status> statuses = new HashMap<>();
  private List<Address> others = List.of();
  private volatile List<Node> nodes;

  Membership(Node self) {
    nodes = List.of(self);
  }

  /** All nodes by name; of two lives under one name, the younger. Any thread may call it. */
  List<Node> nodes() {
    return nodes;
  }

  /** The members that were not there before, or not in the same part of the network. */
  List<Address> onView(List<Address> next) {
    List<Address> newcomers = next.stream().filter(member -> !others.contains(member)).toList();
    others = List.copyOf(next);
    statuses.keySet().retainAll(next);
    return newcomers;
  }

  /** False if it says nothing new: a later one has overtaken it. */
  boolean onStatus(Address from, ClusterMessage.Status status) {
    ClusterMessage.Status before = statuses.get(from);
    if (before != null && before.number() >= status.number()) {
      return false;
    }
    // It may be here before the view that has its sender: then it is kept for that.
    if (before != null || statuses.size() < ClusterConfig.MOST_NODES) {
      statuses.put(from, status);
    }
    return true;
  }

  /** Takes a new picture of all, this node being as the others were told. */
  void refresh(Node self) {
    Map<String, Node> byName = new HashMap<>();
    byName.put(self.id(), self);
    for (Address other : others) {
      ClusterMessage.Status status = statuses.get(other);
      if (status != null) {
        byName.merge(status.node().id(), status.node(), Membership::younger);
      }
    }
    nodes = byName.values().stream().sorted(Comparator.comparing(Node::id)).toList();
  }

  private static Node younger(Node one, Node other) {
    return one.incarnation() >= other.incarnation() ? one : other;
  }

  boolean isAlone() {
    return others.isEmpty();
  }

  boolean has(Address member) {
    return others.contains(member);
  }

  boolean hasHeardOfAll() {
    return statuses.keySet().containsAll(others);
  }

  boolean isUp(Address member) {
    ClusterMessage.Status status = statuses.get(member);
    return status != null && status.node().state() == NodeState.UP;
  }

  /**
   * Other nodes that have said how they are. Whatever that is, they may have clients: a node is
   * joining again when it has lost its broker.
   */
  List<Address> heard() {
    return others.stream().filter(statuses::containsKey).toList();
  }
}
