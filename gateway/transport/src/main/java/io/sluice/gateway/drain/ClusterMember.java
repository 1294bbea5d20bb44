package io.sluice.gateway.drain;

import io.sluice.gateway.query.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** This node as a member of its cluster, or a node without one. Any thread may call it. */
public interface ClusterMember extends AutoCloseable {
  /** Starts to join; returns at once. To be called once the clients' port is open. */
  void start();

  /** Returns whether the pre-subscription of other nodes' topics has ended or timed out once. */
  boolean hasBeenReady();

  /** Returns whether another node serves clients and has its broker. */
  boolean isServedElsewhere();

  /** Announces to the other nodes that this node drains. */
  void onDraining();

  /** Announces to the other nodes that this node serves clients again. */
  void onUndrained();

  /** Returns the pace of the drain; to be called after {@link #onDraining}. */
  DrainPace drainPace();

  /**
   * Selects the redirect target of a client that leaves, and counts the redirect.
   *
   * @return null if the client uses its configured addresses
   */
  String redirectForDrain();

  /**
   * Redirects clients in one round to equalize the nodes; returns at once.
   *
   * @return number of clients to redirect; fails if the node is stopping
   */
  CompletionStage<Integer> rebalance();

  /** Returns this node with the current number of clients. */
  NodeStatus self();

  /** Returns all nodes by name: the others as last reported, this one as it is now. */
  List<NodeStatus> nodes();

  /** Leaves the cluster, which may take some seconds. */
  @Override
  void close();
}
