package io.sluice.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Where clients should be. Without state, clock or thread, for any thread; all nodes weigh the
 * same.
 *
 * <p>Nodes decide each for itself, by figures that are some seconds old, and still don't swing:
 *
 * <ul>
 *   <li>Targets are drawn, the likelier the further they are below the mean, and get no more than
 *       they lack. So no herd runs to the emptiest, and a target is far from sending clients on.
 *   <li>A node sends nobody away before it is above the tolerance, and then until it is within half
 *       of it.
 *   <li>How many moves fall to a node follows from figures that all nodes know alike, those that it
 *       told of itself among them. So all together keep to the rate.
 * </ul>
 */
public final class Balance {
  /** Where the difference is less, evenness is worth no redirect. */
  private static final int LEAST_EXCESS = 10;

  private static final long MINUTE_MS = 60_000;

  /** Unused moves of that long may be caught up on. */
  private static final long CREDIT_MS = 10_000;

  private final BalanceRules rules;

  /** By these rules. */
  public Balance(BalanceRules rules) {
    this.rules = rules;
  }

  /**
   * Where a client should go that connects to this node, or empty if it is welcome. The chance
   * grows from none at half of the tolerance to certainty at all of it: a node that is cut off at
   * one number would take everybody, then nobody.
   *
   * @param self with its figures as they are now
   */
  public Optional<Node> entry(Node self, List<Node> nodes, Sent sent, RandomGenerator random) {
    Fleet fleet = new Fleet(self, nodes, sent, false);
    double chance = self.state() == NodeState.UP ? chance(fleet) : 0;
    if (chance <= 0) {
      return Optional.empty();
    }
    // While all of them fill, a node that goes by its newest figure finds itself above the others.
    double toldChance =
        told(self, nodes).map(t -> chance(new Fleet(t, nodes, sent, false))).orElse(0.0);
    return random.nextDouble() < Math.min(chance, toldChance)
        ? fleet.takeByRoom(random)
        : Optional.empty();
  }

  private double chance(Fleet fleet) {
    double band = fleet.mean() * rules.tolerance() / 2;
    return fleet.excess() < LEAST_EXCESS ? 0 : (fleet.excess() - band) / band;
  }

  private static Optional<Node> told(Node self, List<Node> nodes) {
    return nodes.stream().filter(node -> node.id().equals(self.id())).findFirst();
  }

  /**
   * Where a client should go that has to leave this node; empty if no node can be named, and its
   * own addresses have to lead it on.
   *
   * @param self with its figures as they are now
   */
  public Optional<Node> leave(Node self, List<Node> nodes, Sent sent, RandomGenerator random) {
    Fleet fleet = new Fleet(self, nodes, sent, true);
    if (fleet.isEmpty()) {
      return Optional.empty();
    }
    return fleet.takeByRoom(random).or(() -> Optional.of(fleet.betterOfTwo(random)));
  }

  /**
   * Which moves this node makes in the time ahead.
   *
   * @param before what the last call gave, {@link Shed#NOTHING} at first
   * @param self with its figures as they are now
   * @param pending clients that were told to go and are still here
   * @param nodes as {@link Cluster#nodes} has them, this one as the others were told
   * @param aheadMs until the next call
   */
  public Shed shed(
      Shed before,
      Node self,
      int pending,
      List<Node> nodes,
      Sent sent,
      long aheadMs,
      RandomGenerator random) {
    Fleet fleet = new Fleet(self, nodes, sent, false);
    double excess = fleet.excess() - pending;
    double tolerated = fleet.mean() * rules.tolerance();
    double least = before.going() ? tolerated / 2 : Math.max(tolerated, LEAST_EXCESS);
    if (self.state() != NodeState.UP || excess <= least) {
      return before.rest();
    }
    double aMinute = rules.movesPerMinute() * share(self, nodes);
    double most = Math.max(1, aMinute * CREDIT_MS / MINUTE_MS);
    double credit = Math.min(most, before.credit() + aMinute * aheadMs / MINUTE_MS);
    int clients = (int) Math.min(credit, Math.min(excess - tolerated / 2, fleet.room()));
    List<Move> moves = moves(Math.max(0, clients), fleet, aheadMs, random);
    return new Shed(true, credit - moves.size(), moves);
  }

  /** This node's part of the rate, by what all nodes have been told. */
  private double share(Node self, List<Node> nodes) {
    List<Node> serving = nodes.stream().filter(node -> node.state() == NodeState.UP).toList();
    double mean = serving.stream().mapToInt(node -> node.load().connections()).average().orElse(0);
    double least = mean * rules.tolerance() / 2;
    double all = 0;
    double own = 0;
    for (Node node : serving) {
      double excess = node.load().connections() - mean;
      double counted = excess > least ? excess : 0;
      all += counted;
      own += node.id().equals(self.id()) ? counted : 0;
    }
    return all == 0 ? 0 : own / all;
  }

  private static List<Move> moves(int clients, Fleet fleet, long aheadMs, RandomGenerator random) {
    List<Move> moves = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      Optional<Node> to = fleet.takeByRoom(random);
      if (to.isEmpty()) {
        break;
      }
      moves.add(new Move(to.get(), random.nextLong(Math.max(1, aheadMs))));
    }
    moves.sort(Comparator.comparingLong(Move::afterMs));
    return moves;
  }
}
