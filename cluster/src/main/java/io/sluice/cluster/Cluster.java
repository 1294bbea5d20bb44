package io.sluice.cluster;

import io.sluice.cluster.peer.PeerIdentity;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Membership of this node in a cluster, and its view of the other nodes. Any thread may call it;
 * only {@link #close} waits for the network. Without other nodes, or without a network, it contains
 * this node only.
 */
public interface Cluster extends AutoCloseable {
  /** Returns this node with its current figures. */
  Node self();

  /**
   * Returns all nodes by name, including this one with its announced figures. All nodes therefore
   * use the same figures, except for messages in transit.
   */
  List<Node> nodes();

  /** Changes the state of this node; the others are notified at once. */
  void announce(NodeState state);

  /** Reports the load of this node; the others are notified of material changes. */
  void report(Load load);

  /**
   * Replaces the certificate and the trusted authorities for new connections in both directions.
   * Open connections are not affected.
   *
   * @throws GeneralSecurityException if it cannot be used; then nothing changes
   * @throws IllegalStateException if the node did not start with a certificate
   */
  void renew(PeerIdentity.Certified identity) throws GeneralSecurityException;

  /**
   * Returns the distinct names of topics in use on other nodes, in any state: a node that has lost
   * its broker still has clients. After half of the timeout, the names of some nodes suffice if one
   * of them is {@link NodeState#UP}. Fails with a {@link java.util.concurrent.TimeoutException} if
   * neither all nodes nor one that is up have sent theirs in time.
   *
   * @param limit largest number of names
   */
  CompletionStage<List<String>> activeTopics(int limit);

  /** Returns the active topics of the other nodes; the same object until they change. */
  SharedTopics topicsOfOthers();

  /** Adds exchanges of messages with the other nodes. */
  void join(List<Exchange> exchanges);

  /**
   * Sets the listener for changes of {@link #nodes} by other nodes. It is called on the cluster's
   * thread and must not block. Replaces the previous listener.
   */
  void onChange(Runnable listener);

  /** Returns the counters since the start. */
  ClusterCounts counts();

  /** Leaves the cluster; waits a bounded time until the others are notified. */
  @Override
  void close();
}
