package io.sluice.cluster;

import java.util.concurrent.ThreadLocalRandom;

/**
 * One node of the cluster, as it was heard of last. Immutable, for any thread.
 *
 * @param id its configured name; of two nodes of one name only the younger life is shown
 * @param incarnation its life: of two lives under one name, the larger number began later
 * @param publicUrl where clients reach this very node, empty if they can't
 * @param adminUrl where operators reach it, empty if it doesn't say
 * @param version of its software
 * @param state how far it is
 * @param sinceMs when that state began, in milliseconds of its own clock
 * @param load what it said last of its load
 * @param capacity most clients that it accepts; 0 if unknown
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
  private static final int LIVES_A_MS = 1000;

  /** A node of unknown capacity. */
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

  /** The same node, which accepts so many clients. */
  public Node withCapacity(int clients) {
    return new Node(id, incarnation, publicUrl, adminUrl, version, state, sinceMs, load, clients);
  }

  /** One whose life begins now. */
  public static Node starting(String id, String publicUrl, String adminUrl, String version) {
    long nowMs = System.currentTimeMillis();
    long life = nowMs * LIVES_A_MS + ThreadLocalRandom.current().nextInt(LIVES_A_MS);
    return new Node(id, life, publicUrl, adminUrl, version, NodeState.JOINING, nowMs, Load.NONE);
  }

  /** Whether a client can be sent to it. */
  public boolean takesClients() {
    return state == NodeState.UP && !publicUrl.isEmpty();
  }

  Node in(NodeState next, long nowMs) {
    return new Node(id, incarnation, publicUrl, adminUrl, version, next, nowMs, load, capacity);
  }

  /** The same node under another load. */
  public Node with(Load next) {
    return new Node(id, incarnation, publicUrl, adminUrl, version, state, sinceMs, next, capacity);
  }
}
