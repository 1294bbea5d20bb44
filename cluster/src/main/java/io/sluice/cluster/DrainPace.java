package io.sluice.cluster;

import java.util.Comparator;
import java.util.List;

/**
 * How fast a node may send its clients away, so that all draining nodes together keep to one rate.
 * Without state, clock or thread, for any thread.
 *
 * <p>Who began first goes first, with all of the rate that it can use, and the next one has what is
 * left: if the rate allows at all that everybody is gone by the deadlines, so it comes about. All
 * nodes see the same order, because it follows from what they told each other.
 *
 * @param movesPerSecond of all nodes together
 */
public record DrainPace(double movesPerSecond) {
  private static final Comparator<Node> ORDER =
      Comparator.comparingLong(Node::sinceMs)
          .thenComparing(Node::id)
          .thenComparingLong(Node::incarnation);

  /** Refuses a pace at which nobody would ever be gone. */
  public DrainPace {
    if (!(movesPerSecond > 0)) {
      throw new IllegalArgumentException("the pace must be above 0");
    }
  }

  /**
   * What a node may do until it asks again. Immutable, for any thread.
   *
   * @param begun whether it has asked before
   * @param credit parts of a move that are left over
   * @param clients that may be told to go
   */
  public record Turn(boolean begun, double credit, int clients) {
    /** Before the first question. */
    public static final Turn START = new Turn(false, 0, 0);
  }

  /**
   * Nobody goes in the first turn: other nodes that begin at the same moment have to hear of this
   * one, and it of them. So a turn takes longer than a message between nodes.
   *
   * @param before what the last call gave, {@link Turn#START} at first
   * @param self with its figures as they are now; it has told the others that it drains, and how
   *     many clients of it will go
   * @param nodes as {@link Cluster#nodes} has them
   * @param aheadMs until the next call
   */
  public Turn next(Turn before, Node self, List<Node> nodes, long aheadMs) {
    if (!before.begun()) {
      return new Turn(true, 0, 0);
    }
    double left = movesPerSecond * aheadMs / 1000;
    double mine = Math.max(0, left - ahead(self, nodes)) + before.credit();
    int clients = (int) Math.min(mine, self.load().movable());
    return new Turn(true, Math.min(mine - clients, 1), clients);
  }

  /**
   * In how many milliseconds the last client of this node will have been told to go, as far as
   * anybody can say; to be compared with the deadline before it begins.
   */
  public long forecastMs(Node self, List<Node> nodes) {
    double clients = ahead(self, nodes) + (double) self.load().movable();
    return (long) Math.ceil(clients / movesPerSecond * 1000);
  }

  /** Clients of nodes that go first, which are all that drain before this one does. */
  private static long ahead(Node self, List<Node> nodes) {
    return nodes.stream()
        .filter(node -> node.state() == NodeState.DRAINING && !node.id().equals(self.id()))
        .filter(node -> self.state() != NodeState.DRAINING || ORDER.compare(node, self) < 0)
        .mapToLong(node -> node.load().movable())
        .sum();
  }
}
