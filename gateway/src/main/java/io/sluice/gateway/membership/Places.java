package io.sluice.gateway.membership;

import io.sluice.cluster.Balance;
import io.sluice.cluster.Node;
import io.sluice.cluster.NodeState;
import io.sluice.cluster.Sent;
import io.sluice.cluster.Shed;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** Finds nodes for clients that should be elsewhere. Any thread may call it; nothing waits. */
final class Places {
  private final ClusterMembership membership;
  private final Balance balance;
  private final Sent sent = new Sent();

  Places(ClusterMembership membership, Balance balance) {
    this.membership = membership;
    this.balance = balance;
  }

  /** Where a client of a draining node should go; null for its own addresses. */
  String toLeave() {
    return urlOf(balance.leave(membership.self(), membership.nodes(), sent, random()));
  }

  /** The node for a client of this one, which has lost its broker; empty if none has room. */
  Optional<Node> toServe() {
    return balance.leave(membership.self(), membership.nodes(), sent, random());
  }

  /** Nodes that move clients because they have no broker, this one among them. */
  int withoutBroker() {
    String self = membership.self().id();
    long others =
        membership.nodes().stream()
            .filter(node -> node.state() == NodeState.JOINING && !node.id().equals(self))
            .filter(node -> node.load().movable() > 0)
            .count();
    return 1 + (int) others;
  }

  /** The URL for a client that comes to this node while it has no broker; null if it stays. */
  String toEnterElsewhere() {
    return urlOf(toServe());
  }

  /** Where the client should go that comes now; null if it is welcome. */
  String toEnter() {
    return urlOf(balance.entry(membership.self(), membership.nodes(), sent, random()));
  }

  /** Which clients should go where in the time ahead, when so many are on their way already. */
  Shed toShed(Balance rules, Shed before, int pending, long aheadMs) {
    return rules.shed(
        before, membership.self(), pending, membership.nodes(), sent, aheadMs, random());
  }

  /** A client is sent there; gives the URL. */
  String send(Node to) {
    sent.add(to);
    return to.publicUrl();
  }

  /** Whether clients can still be sent to a node that was chosen a while ago. */
  boolean isOpen(Node chosen) {
    return membership.nodes().stream()
        .anyMatch(node -> node.id().equals(chosen.id()) && node.takesClients());
  }

  private static RandomGenerator random() {
    return ThreadLocalRandom.current();
  }

  private String urlOf(Optional<Node> node) {
    return node.map(this::send).orElse(null);
  }

  /** To be called once per report of the load. */
  void fade() {
    sent.fade();
  }
}
