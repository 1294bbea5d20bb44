package io.sluice.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Nodes that clients can be sent to, and how many each of them should still get. Bound to one call.
 */
final class Fleet {
  private final List<Node> nodes = new ArrayList<>();
  private final List<Double> room = new ArrayList<>();
  private final Node self;
  private final Sent sent;
  private final int senders;
  private double clients;
  private int serving;

  /**
   * @param self with the figures to go by
   * @param leaving whether its own clients are to be spread over the others
   */
  Fleet(Node self, List<Node> all, Sent sent, boolean leaving) {
    this.self = self;
    this.sent = sent;
    this.senders = leaving ? leaving(self, all) : aboveMean(all);
    for (Node node : all) {
      if (!node.id().equals(self.id()) && node.state() == NodeState.UP) {
        count(expectedAt(node), 1);
        if (node.takesClients() && spare(node) >= 1) {
          nodes.add(node);
        }
      }
    }
    count(self.load().connections(), leaving ? 0 : 1);
    nodes.forEach(node -> room.add(room(node)));
  }

  /** Nodes whose clients leave as those of this one do: it drains, or has lost its broker. */
  private static int leaving(Node self, List<Node> all) {
    NodeState state = self.state() == NodeState.DRAINING ? NodeState.DRAINING : NodeState.JOINING;
    long leaving =
        all.stream()
            .filter(node -> node.state() == state)
            .filter(node -> state == NodeState.DRAINING || node.load().movable() > 0)
            .count();
    return (int) Math.max(1, leaving);
  }

  private double room(Node node) {
    return Math.max(0, Math.min(mean() - expectedAt(node), spare(node)));
  }

  /** How many more clients the node accepts. */
  private double spare(Node node) {
    return node.capacity() == 0 ? Double.MAX_VALUE : node.capacity() - expectedAt(node);
  }

  private static int aboveMean(List<Node> all) {
    List<Node> up = all.stream().filter(node -> node.state() == NodeState.UP).toList();
    double mean = up.stream().mapToInt(node -> node.load().connections()).average().orElse(0);
    long above = up.stream().filter(node -> node.load().connections() > mean).count();
    return (int) Math.max(1, above);
  }

  /** Others that have too many have probably sent as many as this one. */
  private double expectedAt(Node node) {
    return node.load().connections() + (double) sent.to(node) * senders;
  }

  private void count(double more, int nodesMore) {
    clients += more;
    serving += nodesMore;
  }

  /** Clients a serving node. */
  double mean() {
    return serving == 0 ? 0 : clients / serving;
  }

  double excess() {
    return self.load().connections() - mean();
  }

  /** How many more the others can take until they have as many as the mean. */
  double room() {
    return room.stream().mapToDouble(Double::doubleValue).sum();
  }

  boolean isEmpty() {
    return nodes.isEmpty();
  }

  /** One with room, the likelier the more it has; it has one place less then. */
  Optional<Node> takeByRoom(RandomGenerator random) {
    double all = room();
    if (all < 1) {
      return Optional.empty();
    }
    double at = random.nextDouble() * all;
    int i = 0;
    while (i < nodes.size() - 1 && at >= room.get(i)) {
      at -= room.get(i);
      i++;
    }
    room.set(i, Math.max(0, room.get(i) - 1));
    return Optional.of(nodes.get(i));
  }

  /** The less loaded of two, for when all have as many as they should. */
  Node betterOfTwo(RandomGenerator random) {
    Node one = nodes.get(random.nextInt(nodes.size()));
    Node other = nodes.get(random.nextInt(nodes.size()));
    return expectedAt(one) <= expectedAt(other) ? one : other;
  }
}
