package io.sluice.gateway;

import io.sluice.gateway.admin.ClusterView;
import io.sluice.gateway.drain.ClusterMember;
import io.sluice.gateway.query.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** View of the cluster's nodes, or of a standalone node, for the admin port. For any thread. */
final class Nodes implements ClusterView {
  private final ClusterMember member;
  private final String cluster;
  private final BooleanSupplier drain;
  private final BooleanSupplier undrain;

  /**
   * @param cluster name of the cluster; empty for a standalone node
   * @param drain starts a drain; returns whether none had started before
   * @param undrain ends a drain; returns false if the node is stopping
   */
  Nodes(ClusterMember member, String cluster, BooleanSupplier drain, BooleanSupplier undrain) {
    this.member = member;
    this.cluster = cluster;
    this.drain = drain;
    this.undrain = undrain;
  }

  @Override
  public String name() {
    return cluster;
  }

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
    return drain.getAsBoolean();
  }

  @Override
  public boolean undrain() {
    return undrain.getAsBoolean();
  }

  @Override
  public CompletionStage<Integer> rebalance() {
    return member.rebalance();
  }
}
