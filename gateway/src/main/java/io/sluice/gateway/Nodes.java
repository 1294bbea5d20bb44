package io.sluice.gateway;

import io.sluice.cluster.Node;
import io.sluice.gateway.admin.ClusterView;
import io.sluice.gateway.membership.Member;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** The nodes of the cluster, or this one alone, for its operator. For any thread. */
final class Nodes implements ClusterView {
  private final Member member;
  private final String cluster;
  private final BooleanSupplier drain;

  /**
   * @param cluster its name; empty if there is none
   * @param drain begins to drain; false if that had begun already
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
