package io.sluice.gateway;

import io.sluice.gateway.admin.ClusterView;
import io.sluice.gateway.drain.ClusterMember;
import io.sluice.gateway.query.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/**
 * View of the cluster's nodes, or of a standalone node, for the admin port. For any thread.
 *
 * @param name name of the cluster; empty for a standalone node
 * @param drains starts a drain; returns whether none had started before
 * @param undrains ends a drain; returns false if the node is stopping
 */
record Nodes(ClusterMember member, String name, BooleanSupplier drains, BooleanSupplier undrains)
    implements ClusterView {
  @Override
  public NodeStatus self() {
    return member.self();
  }

  @Override
  public List<NodeStatus> nodes() {
    return member.nodes();
  }

  @Override
  public boolean drain() {
    return drains.getAsBoolean();
  }

  @Override
  public boolean undrain() {
    return undrains.getAsBoolean();
  }

  @Override
  public CompletionStage<Integer> rebalance() {
    return member.rebalance();
  }
}
