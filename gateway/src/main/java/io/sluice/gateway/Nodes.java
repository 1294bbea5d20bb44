package io.sluice.gateway;

import io.sluice.cluster.Node;
import io.sluice.gateway.admin.ClusterView;
import io.sluice.gateway.membership.Member;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** View of the cluster's nodes, or of a standalone node, for the admin port. For any thread. */
final class Nodes implements ClusterView {
  private final Member member;
  private final String cluster;
  private final BooleanSupplier drain;

  /**
   * @param cluster name of the cluster; empty for a standalone node
   * @param drain starts a drain; returns whether none had started before
   */
  Nodes(Member member, String cluster, BooleanSupplier drain) {
    this.member = member;
    this.cluster = cluster;
    this.drain = drain;
  }

  @Override
  public String name() {
    return cluster;
  }

  @Override
  public Node self() {
    return member.self();
  }

  @Override
  public List<Node> nodes() {
    return member.nodes();
  }

  @Override
  public boolean drain() {
    return drain.getAsBoolean();
  }

  @Override
  public CompletionStage<Integer> rebalance() {
    return member.rebalance();
  }
}
