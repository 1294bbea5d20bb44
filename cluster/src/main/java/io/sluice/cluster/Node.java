package io.sluice.cluster;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Node of the cluster with its latest known status. Immutable, for any thread.
 *
 * @param id configured name; of two nodes of one name only the later incarnation is listed
 * @param incarnation number of the process: of two incarnations under one name, the larger one
 *     started later
 * @param publicUrl URL at which clients reach this node, empty if they cannot
 * @param adminUrl URL of its admin port, empty if unknown
 * @param version of its software
 * @param state lifecycle state
 * @param sinceMs start of that state, Unix milliseconds of its clock
 * @param load latest reported load
 * @param capacity largest number of clients that it accepts; 0 if unknown
 */
public record Node(
    String id,
    long incarnation,
    String publicUrl,
    String adminUrl,
    String version,
    NodeState state,
    long sinceMs,
    Load load,
    int capacity) {
  private static final int INCARNATIONS_PER_MS = 1000;

  /** Creates a node of unknown capacity. */
  public Node(
      String id,
      long incarnation,
      String publicUrl,
      String adminUrl,
      String version,
      NodeState state,
      long sinceMs,
      Load load) {
    this(id, incarnation, publicUrl, adminUrl, version, state, sinceMs, load, 0);
  }

  /** Returns the same node with another capacity. */
  public Node withCapacity(int clients) {
    return new Node(id, incarnation, publicUrl, adminUrl, version, state, sinceMs, load, clients);
  }

  /** Returns a node that starts now. */
  public static Node starting(String id, String publicUrl, String adminUrl, String version) {
    long nowMs = System.currentTimeMillis();
    long incarnation =
        nowMs * INCARNATIONS_PER_MS + ThreadLocalRandom.current().nextInt(INCARNATIONS_PER_MS);
    return new Node(
        id, incarnation, publicUrl, adminUrl, version, NodeState.JOINING, nowMs, Load.NONE);
  }

  /** Returns whether clients can be redirected to this node. */
  public boolean acceptsClients() {
    return state == NodeState.UP && !publicUrl.isEmpty();
  }

  Node in(NodeState next, long nowMs) {
    return new Node(id, incarnation, publicUrl, adminUrl, version, next, nowMs, load, capacity);
  }

  /** Returns the same node with another load. */
  public Node with(Load next) {
    return new Node(id, incarnation, publicUrl, adminUrl, version, state, sinceMs, next, capacity);
  }
}
