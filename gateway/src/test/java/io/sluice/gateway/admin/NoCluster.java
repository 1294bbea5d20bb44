package io.sluice.gateway.admin;

import io.sluice.gateway.query.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Cluster view of a single node that never drains. */
final class NoCluster implements ClusterView {
  private final NodeStatus self =
      new NodeStatus("alone", "", "", "0.1.0", "joining", 0, new NodeStatus.Load(0, 0, 0, 0, 0));

  @Override
  public String name() {
    return "";
  }

  @Override
  public NodeStatus self() {
    return self;
  }

  @Override
  public List<NodeStatus> nodes() {
    return List.of(self);
  }

  @Override
  public boolean drain() {
    return false;
  }

  @Override
  public boolean undrain() {
    return true;
  }

  @Override
  public CompletionStage<Integer> rebalance() {
    return CompletableFuture.completedStage(0);
  }
}
