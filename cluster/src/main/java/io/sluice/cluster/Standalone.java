package io.sluice.cluster;

import io.sluice.cluster.peer.PeerIdentity;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Cluster of one node without a network. Any thread may call it. */
public final class Standalone implements Cluster {
  private volatile Node self;

  /**
   * @param self initial state of this node
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

  /** Has no effect: there are no peers. */
  @Override
  public void renew(PeerIdentity.Certified identity) {}

  @Override
  public CompletionStage<List<String>> activeTopics(int limit) {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public SharedTopics topicsOfOthers() {
    return SharedTopics.NONE;
  }

  /** Has no effect: there are no peers. */
  @Override
  public void join(List<Exchange> exchanges) {}

  /** Has no effect: without other nodes the listener is never called. */
  @Override
  public void onChange(Runnable listener) {}

  @Override
  public ClusterCounts counts() {
    return ClusterCounts.NONE;
  }

  @Override
  public void close() {}
}
