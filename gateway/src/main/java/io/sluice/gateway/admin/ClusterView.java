package io.sluice.gateway.admin;

import io.sluice.cluster.Node;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The nodes that serve together, as the operator of one of them sees and moves them. Any thread may
 * call it, and is never held up.
 */
public interface ClusterView {
  /** The cluster's name; empty if this node is in none. */
  String name();

  /** This node, with its figures as they are now. */
  Node self();

  /** All nodes that this one knows of, itself among them. */
  List<Node> nodes();

  /**
   * This node is ready no more and begins to send its clients away; it does not end by that.
   *
   * @return false if it was draining already
   */
  boolean drain();

  /**
   * This node begins to send those of its clients away that other nodes should have, unless it does
   * so already.
   *
   * @return how many it asks, soon; 0 if there are none
   */
  CompletionStage<Integer> rebalance();
}
