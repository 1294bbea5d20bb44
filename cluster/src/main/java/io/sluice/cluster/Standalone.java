package io.sluice.cluster;

import io.sluice.cluster.peer.PeerIdentity;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A node without a cluster. Any thread may call it. */
public final class Standalone implements Cluster {
  private volatile Node self;

  /**
   * @param self as it begins
   */
  public Standalone(Node self) {
    this.self = self;
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
  public synchronized void announce(NodeState state) {
    if (self.state() != state) {
      self = self.in(state, System.currentTimeMillis());
    }
  }

  @Override
  public synchronized void report(Load load) {
    self = self.with(load);
  }

  /** There is nobody to show it to. */
  @Override
  public void renew(PeerIdentity.Certified identity) {}

  @Override
  public CompletionStage<List<String>> activeTopics(int limit) {
    return CompletableFuture.completedFuture(List.of());
  }

  /** No node receives them. */
  @Override
  public void shareTopics(List<String> inUse) {}

  @Override
  public SharedTopics topicsOfOthers() {
    return SharedTopics.NONE;
  }

  /** Never called: there is nobody who could change anything. */
  @Override
  public void onChange(Runnable listener) {}

  @Override
  public ClusterCounts counts() {
    return ClusterCounts.NONE;
  }

  @Override
  public void close() {}
}
