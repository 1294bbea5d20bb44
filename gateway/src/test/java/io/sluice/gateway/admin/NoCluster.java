package io.sluice.gateway.admin;

import io.sluice.cluster.Node;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Cluster view of a single node that never drains. */
final class NoCluster implements ClusterView {
  private final Node self = Node.starting("alone", "", "", "0.1.0");

  @Override
  public String name() {
    return "";
  }

  @Override
  public Node self() {
    return self;
  }

  @Override
  public List<Node> nodes() {
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
