package io.sluice.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Candidates for redirects, and the number of clients that each should still receive. Bound to one
 * call.
 */
final class Candidates {
  private final List<Node> nodes = new ArrayList<>();
  private final List<Double> room = new ArrayList<>();
  private final Node self;
  private final RecentRedirects recent;
  private final int senders;
  private double clients;
  private int serving;

  /**
   * @param self with the figures to use
   * @param leaving whether its own clients are to be spread over the others
   */
  Candidates(Node self, List<Node> all, RecentRedirects recent, boolean leaving) {
    this.self = self;
    this.recent = recent;
    this.senders = leaving ? leaving(self, all) : aboveMean(all);
    for (Node node : all) {
      if (!node.id().equals(self.id()) && node.state() == NodeState.UP) {
        count(expectedAt(node), 1);
        if (node.acceptsClients() && spare(node) >= 1) {
          nodes.add(node);
        }
      }
    }
    count(self.load().connections(), leaving ? 0 : 1);
    nodes.forEach(node -> room.add(room(node)));
  }

  /**
   * Returns the number of nodes whose clients leave for the same reason as those of this one: a
   * drain or the loss of the broker.
   */
  private static int leaving(Node self, List<Node> all) {
    Predicate<Node> leaves =
        self.state() == NodeState.DRAINING
            ? node -> node.state() == NodeState.DRAINING
            : node -> node.state().isNotReady() && node.load().movable() > 0;
    long leaving = all.stream().filter(leaves).count();
    return (int) Math.max(1, leaving);
  }

  private double room(Node node) {
    return Math.max(0, Math.min(mean() - expectedAt(node), spare(node)));
  }

  /** Returns the remaining capacity of a node. */
  private double spare(Node node) {
    return node.capacity() == 0 ? Double.MAX_VALUE : node.capacity() - expectedAt(node);
  }

  private static int aboveMean(List<Node> all) {
    List<Node> up = all.stream().filter(node -> node.state() == NodeState.UP).toList();
    double mean = up.stream().mapToInt(node -> node.load().connections()).average().orElse(0);
    long above = up.stream().filter(node -> node.load().connections() > mean).count();
    return (int) Math.max(1, above);
  }

  /**
   * Returns the expected number of clients of a node. Other redirecting nodes have probably sent as
   * many clients as this one.
   */
  private double expectedAt(Node node) {
    return node.load().connections() + (double) recent.to(node) * senders;
  }

  private void count(double more, int nodesMore) {
    clients += more;
    serving += nodesMore;
  }

  /** Returns the mean number of clients per serving node. */
  double mean() {
    return serving == 0 ? 0 : clients / serving;
  }

  double excess() {
    return self.load().connections() - mean();
  }

  /** Returns the number of clients that the others can accept until they reach the mean. */
  double room() {
    return room.stream().mapToDouble(Double::doubleValue).sum();
  }

  boolean isEmpty() {
    return nodes.isEmpty();
  }

  /** Returns a random node weighted by its room, which decreases by one. */
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

  /** Returns the less loaded of two random nodes; used when all have reached the mean. */
  Node betterOfTwo(RandomGenerator random) {
    Node one = nodes.get(random.nextInt(nodes.size()));
    Node other = nodes.get(random.nextInt(nodes.size()));
    return expectedAt(one) <= expectedAt(other) ? one : other;
  }
}
