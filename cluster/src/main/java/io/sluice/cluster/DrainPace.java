package io.sluice.cluster;

import java.util.Comparator;
import java.util.List;

/**
 * Rate at which a draining node may redirect its clients; all draining nodes share one rate.
 * Stateless and without a clock, for any thread.
 *
 * <p>The node that began first uses as much of the rate as it can, and the next one uses the rest.
 * This order meets all deadlines if the rate permits that at all. All nodes determine the same
 * order, because it follows from their announced states.
 *
 * @param movesPerSecond rate of all nodes together
 */
public record DrainPace(double movesPerSecond) {
  private static final Comparator<Node> ORDER =
      Comparator.comparingLong(Node::sinceMs)
          .thenComparing(Node::id)
          .thenComparingLong(Node::incarnation);

  /** Rejects a rate of 0, at which a drain would never end. */
  public DrainPace {
    if (!(movesPerSecond > 0)) {
      throw new IllegalArgumentException("movesPerSecond must be above 0");
    }
  }

  /**
   * Number of clients that a node may redirect until its next call. Immutable, for any thread.
   *
   * @param begun whether the node has made a call before
   * @param credit unused fraction of a move
   * @param clients that may be redirected
   */
  public record Allotment(boolean begun, double credit, int clients) {
    /** Value before the first call. */
    public static final Allotment INITIAL = new Allotment(false, 0, 0);
  }

  /**
   * Returns the allotment until the next call. The first one is empty: nodes that begin at the same
   * time must first receive each other's status. Therefore the interval must be longer than the
   * transit time of a message.
   *
   * @param before result of the previous call, {@link Allotment#INITIAL} at first
   * @param self with its current figures; its drain and its number of clients are announced
   * @param nodes as returned by {@link Cluster#nodes}
   * @param aheadMs time until the next call
   */
  public Allotment next(Allotment before, Node self, List<Node> nodes, long aheadMs) {
    if (!before.begun()) {
      return new Allotment(true, 0, 0);
    }
    double total = movesPerSecond * aheadMs / 1000;
    double own = Math.max(0, total - ahead(self, nodes)) + before.credit();
    int clients = (int) Math.min(own, self.load().movable());
    return new Allotment(true, Math.min(own - clients, 1), clients);
  }

  /**
   * Returns the estimated time until the last client of this node is redirected, in milliseconds;
   * to be compared with the deadline before the drain begins.
   */
  public long forecastMs(Node self, List<Node> nodes) {
    double clients = ahead(self, nodes) + (double) self.load().movable();
    return (long) Math.ceil(clients / movesPerSecond * 1000);
  }

  /** Returns the number of clients of nodes that precede this one in the order. */
  private static long ahead(Node self, List<Node> nodes) {
    return nodes.stream()
        .filter(node -> node.state() == NodeState.DRAINING && !node.id().equals(self.id()))
        .filter(node -> self.state() != NodeState.DRAINING || ORDER.compare(node, self) < 0)
        .mapToLong(node -> node.load().movable())
        .sum();
  }
}
