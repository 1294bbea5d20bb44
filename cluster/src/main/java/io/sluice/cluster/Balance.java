package io.sluice.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Load balancing of clients over the nodes, all with the same weight. Stateless and without a
 * clock, for any thread.
 *
 * <p>Each node decides on its own, by figures that are some seconds old. Oscillation is prevented
 * as follows:
 *
 * <ul>
 *   <li>Targets are random, weighted by their distance below the mean, and receive at most that
 *       many clients. This avoids a herd effect on the emptiest node, and targets do not redirect
 *       clients further.
 *   <li>A node starts to redirect clients above the tolerance, and stops at half of it.
 *   <li>The share of a node in the rate follows from announced figures, which are the same on all
 *       nodes. Therefore all nodes together comply with the rate.
 * </ul>
 */
public final class Balance {
  /** Smaller differences do not justify redirects. */
  private static final int MIN_EXCESS = 10;

  private static final long MINUTE_MS = 60_000;

  /** Largest credit, as time at the rate. */
  private static final long CREDIT_MS = 10_000;

  private static final Comparator<Node> DRAIN_ORDER =
      Comparator.comparingLong(Node::sinceMs)
          .thenComparing(Node::id)
          .thenComparingLong(Node::incarnation);

  private final BalanceRules rules;

  /** Creates a balance by these rules. */
  public Balance(BalanceRules rules) {
    this.rules = rules;
  }

  /**
   * Returns the redirect target of a client that connects to this node, or empty to serve it here.
   * The probability grows from 0 at half of the tolerance to 1 at the tolerance: a fixed threshold
   * would make the node oscillate.
   *
   * @param self with its current figures
   */
  public Optional<Node> entry(
      Node self, List<Node> nodes, RecentRedirects recent, RandomGenerator random) {
    Candidates candidates = new Candidates(self, nodes, recent, false);
    double chance = self.state() == NodeState.UP ? chance(candidates) : 0;
    if (chance <= 0) {
      return Optional.empty();
    }
    // While all nodes fill up, the current figure of this node exceeds the announced ones of
    // others.
    double announcedChance =
        announced(self, nodes)
            .map(n -> chance(new Candidates(n, nodes, recent, false)))
            .orElse(0.0);
    return random.nextDouble() < Math.min(chance, announcedChance)
        ? candidates.takeByRoom(random)
        : Optional.empty();
  }

  private double chance(Candidates candidates) {
    double band = candidates.mean() * rules.tolerance() / 2;
    return candidates.excess() < MIN_EXCESS ? 0 : (candidates.excess() - band) / band;
  }

  private static Optional<Node> announced(Node self, List<Node> nodes) {
    return nodes.stream().filter(node -> node.id().equals(self.id())).findFirst();
  }

  /**
   * Returns the redirect target of a client that has to leave this node; empty if no node is
   * available and the client uses its configured addresses.
   *
   * @param self with its current figures
   */
  public Optional<Node> leave(
      Node self, List<Node> nodes, RecentRedirects recent, RandomGenerator random) {
    Candidates candidates = new Candidates(self, nodes, recent, true);
    if (candidates.isEmpty()) {
      return Optional.empty();
    }
    return candidates.takeByRoom(random).or(() -> Optional.of(candidates.betterOfTwo(random)));
  }

  /**
   * Returns the number of clients that draining nodes redirect before this one. All draining nodes
   * share one rate: the node that began first uses as much of it as it can, and the next one uses
   * the rest. This order meets all deadlines if the rate permits that at all. All nodes determine
   * the same order, because it follows from their announced states.
   *
   * @param self with its current figures
   */
  public static long drainedBefore(Node self, List<Node> nodes) {
    return nodes.stream()
        .filter(node -> node.state() == NodeState.DRAINING && !node.id().equals(self.id()))
        .filter(node -> self.state() != NodeState.DRAINING || DRAIN_ORDER.compare(node, self) < 0)
        .mapToLong(node -> node.load().movable())
        .sum();
  }

  /**
   * Returns the moves of this node in the time ahead.
   *
   * @param before result of the previous call, {@link RebalanceStep#INITIAL} at first
   * @param self with its current figures
   * @param pending clients that were redirected and are still connected
   * @param nodes as returned by {@link Cluster#nodes}, this one as announced
   * @param aheadMs time until the next call
   */
  public RebalanceStep nextStep(
      RebalanceStep before,
      Node self,
      int pending,
      List<Node> nodes,
      RecentRedirects recent,
      long aheadMs,
      RandomGenerator random) {
    Candidates candidates = new Candidates(self, nodes, recent, false);
    double excess = candidates.excess() - pending;
    double tolerated = candidates.mean() * rules.tolerance();
    double threshold = before.active() ? tolerated / 2 : Math.max(tolerated, MIN_EXCESS);
    if (self.state() != NodeState.UP || excess <= threshold) {
      return before.stopped();
    }
    double perMinute = rules.movesPerMinute() * share(self, nodes);
    double maxCredit = Math.max(1, perMinute * CREDIT_MS / MINUTE_MS);
    double credit = Math.min(maxCredit, before.credit() + perMinute * aheadMs / MINUTE_MS);
    int clients = (int) Math.min(credit, Math.min(excess - tolerated / 2, candidates.room()));
    List<Node> moves = moves(clients, candidates, random);
    return new RebalanceStep(true, credit - moves.size(), moves);
  }

  /** Returns this node's share of the rate, by the announced figures. */
  private double share(Node self, List<Node> nodes) {
    List<Node> serving = nodes.stream().filter(node -> node.state() == NodeState.UP).toList();
    double mean = serving.stream().mapToInt(node -> node.load().connections()).average().orElse(0);
    double threshold = mean * rules.tolerance() / 2;
    double all = 0;
    double own = 0;
    for (Node node : serving) {
      double excess = node.load().connections() - mean;
      double counted = excess > threshold ? excess : 0;
      all += counted;
      own += node.id().equals(self.id()) ? counted : 0;
    }
    return all == 0 ? 0 : own / all;
  }

  private static List<Node> moves(int clients, Candidates candidates, RandomGenerator random) {
    List<Node> moves = new ArrayList<>();
    Optional<Node> to = Optional.empty();
    while (moves.size() < clients && (to = candidates.takeByRoom(random)).isPresent()) {
      moves.add(to.get());
    }
    return moves;
  }
}
