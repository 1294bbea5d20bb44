package io.sluice.cluster;

import io.sluice.cluster.peer.PeerIdentity;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The nodes that serve together, as this one knows them. Any thread may call it; no call waits for
 * the network but {@link #close}. Without others, or with the network down, it holds this node
 * alone.
 */
public interface Cluster extends AutoCloseable {
  /** This node, with its own figures as they are now. */
  Node self();

  /**
   * All nodes by name, this one among them with the figures that the others were told. So all nodes
   * reckon with the same figures, but for what is on its way.
   */
  List<Node> nodes();

  /** Says how far this node is; the others hear it at once. */
  void announce(NodeState state);

  /** Says how loaded this node is; the others hear it when it makes a difference to them. */
  void report(Load load);

  /**
   * Shows another certificate from now on, and trusts other authorities: on new connections, in
   * both directions. Those that stand go on.
   *
   * @throws GeneralSecurityException if it can't be used; then everything is as before
   * @throws IllegalStateException if the node did not start with a certificate
   */
  void renew(PeerIdentity.Certified identity) throws GeneralSecurityException;

  /**
   * Names of topics that other nodes have in use, each once, however far these are: one that has
   * lost its broker has clients all the same. After half of the time what some have said is enough,
   * one of them being {@link NodeState#UP}. Fails with a {@link
   * java.util.concurrent.TimeoutException} if there is none of these in time, and not all have
   * answered.
   *
   * @param limit names, at most
   */
  CompletionStage<List<String>> activeTopics(int limit);

  /**
   * Replaces this node's set of active topics. Other nodes receive the difference, a bounded part
   * at a time.
   *
   * @param inUse topics and patterns that clients of this node are subscribed to
   */
  void shareTopics(List<String> inUse);

  /** Active topics of the other nodes; the same object until they change. */
  SharedTopics topicsOfOthers();

  /**
   * Called after others have changed {@link #nodes}, by the cluster's own thread: it may not block.
   * The latest listener is the only one.
   */
  void onChange(Runnable listener);

  /** What was counted since the start. */
  ClusterCounts counts();

  /** Leaves; waits a little for the others to hear of it. */
  @Override
  void close();
}
