package io.sluice.gateway.admin;

import io.sluice.gateway.query.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Nodes of the cluster, and commands that move this node's clients. Any thread may call it; it
 * never blocks.
 */
public interface ClusterView {
  /** Returns the cluster's name; empty if this node belongs to none. */
  String name();

  /** Returns this node with its current figures. */
  NodeStatus self();

  /** Returns all known nodes, including this one. */
  List<NodeStatus> nodes();

  /**
   * Starts to drain: this node is no longer ready and redirects its clients. It does not terminate
   * when that is complete.
   *
   * @return false if it was already draining
   */
  boolean drain();

  /**
   * Ends a drain: this node accepts clients again. Clients that were notified may still leave.
   *
   * @return false if the node is stopping
   */
  boolean undrain();

  /**
   * Starts to redirect the surplus of this node's clients to other nodes, unless a rebalance runs.
   *
   * @return number of clients to be redirected
   */
  CompletionStage<Integer> rebalance();
}
