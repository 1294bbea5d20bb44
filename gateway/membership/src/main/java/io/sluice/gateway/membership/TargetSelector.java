package io.sluice.gateway.membership;

import io.sluice.cluster.Balance;
import io.sluice.cluster.Node;
import io.sluice.cluster.RebalanceStep;
import io.sluice.cluster.RecentRedirects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * Selector of redirect targets for clients of this node. Any thread may call it; it never blocks.
 */
final class TargetSelector {
  private final ClusterMembership membership;
  private final Balance balance;
  private final RecentRedirects recent = new RecentRedirects();

  TargetSelector(ClusterMembership membership, Balance balance) {
    this.membership = membership;
    this.balance = balance;
  }

  /**
   * Selects the target for a client of a draining node and counts the redirect.
   *
   * @return null if no node is available: the client then uses its configured addresses
   */
  String redirectForDrain() {
    return redirectToAny(balance.leave(membership.self(), membership.nodes(), recent, random()));
  }

  /**
   * Selects the target for a client while this node has lost its broker; empty if no node is
   * available. The caller counts the redirect by {@link #redirectTo}.
   */
  Optional<Node> nodeWithBroker() {
    return balance.leave(membership.self(), membership.nodes(), recent, random());
  }

  /**
   * Returns the number of nodes that redirect clients because they have lost their broker,
   * including this one.
   */
  int nodesWithoutBroker() {
    String self = membership.self().id();
    long others =
        membership.nodes().stream()
            .filter(node -> node.state().isNotReady() && !node.id().equals(self))
            .filter(node -> node.load().movable() > 0)
            .count();
    return 1 + (int) others;
  }

  /**
   * Selects the target for a client that connects while this node has no broker, and counts the
   * redirect.
   *
   * @return null to serve the client here
   */
  String redirectForBrokerLoss() {
    return redirectToAny(nodeWithBroker());
  }

  /**
   * Selects the target for a client that connects now, and counts the redirect.
   *
   * @return null to serve the client here
   */
  String redirectForEntry() {
    return redirectToAny(balance.entry(membership.self(), membership.nodes(), recent, random()));
  }

  /** Returns the moves in the time ahead, given the number of pending redirects. */
  RebalanceStep nextStep(Balance rules, RebalanceStep before, int pending, long aheadMs) {
    return rules.nextStep(
        before, membership.self(), pending, membership.nodes(), recent, aheadMs, random());
  }

  /** Counts a redirect to a node and returns its URL. */
  String redirectTo(Node to) {
    recent.add(to);
    return to.publicUrl();
  }

  /** Returns whether a node that was selected earlier still accepts clients. */
  boolean isAvailable(Node chosen) {
    return membership.nodes().stream()
        .anyMatch(node -> node.id().equals(chosen.id()) && node.acceptsClients());
  }

  private static RandomGenerator random() {
    return ThreadLocalRandom.current();
  }

  private String redirectToAny(Optional<Node> node) {
    return node.map(this::redirectTo).orElse(null);
  }

  /** Decays the counts of recent redirects. To be called once per report of the load. */
  void decay() {
    recent.decay();
  }
}
