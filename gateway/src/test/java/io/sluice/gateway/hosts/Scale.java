package io.sluice.gateway.hosts;

import static org.awaitility.Awaitility.await;

import io.sluice.gateway.cli.Numbers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures what nodes cost, and what they can do, in clusters of one, two and three. All of them
 * run all the time, each with the same to do, and only what they say to each other is cut: so each
 * node is held against itself, translated and warm, on a machine that always has as much to do.
 * What the machine does in one minute and not in another shows in one more node, the witness, which
 * is always alone. Bound to one thread.
 */
final class Scale {
  /** Of one processor, so that all nodes and what loads them have room on two. */
  static final int QUOTA_PERCENT = 20;

  /** How large the cluster is in each round: what a machine drifts hits each size alike. */
  private static final List<Integer> SIZES = List.of(1, 2, 3, 3, 2, 1, 3, 2, 1, 1, 2, 3);

  /** By then a node's virtual machine has translated what it will, or nearly. */
  private static final int WARM_UPS = 4;

  private static final int WINDOWS = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** What comes more than before with each further publisher; the last is too much. */
  private static final int[] MORE_EVERY_MS = {10, 5, 2, 1};

  private static final double CLEARLY_MORE = 1.05;

  private final Site site;
  private final Plan plan;
  private final int seconds;
  private final boolean isLimited;
  private final List<ScaleRound> rounds = new ArrayList<>();

  /** The nodes and the witness, which is the last. */
  private final List<HostedNode> all;

  /** Who doesn't hear whom. */
  private final Set<Set<Host>> cuts = new HashSet<>();

  /**
   * @param seconds of each measurement; nodes warm up for eight times as long, and more
   * @param isLimited whether nodes can be given a part of a processor
   */
  Scale(Site site, Plan plan, int seconds, boolean isLimited) {
    this.site = site;
    this.plan = plan;
    this.seconds = seconds;
    this.isLimited = isLimited;
    this.all = Stream.concat(site.nodes().stream(), Stream.of(site.witness())).toList();
  }

  /** Runs it all. */
  List<ScaleRound> run() throws InterruptedException {
    all.forEach(HostedNode::start);
    all.forEach(node -> site.addClientsOf(node, plan.clients()));
    for (int i = 0; i < WARM_UPS; i++) {
      warm();
      if (isLimited) {
        most(); // so that what it takes is translated, too
      }
    }
    for (int size : SIZES) {
      cluster(size);
      measure(size);
    }
    return rounds;
  }

  /** From now on the first so many nodes know each other, and each further one is alone. */
  private void cluster(int size) {
    List<HostedNode> nodes = site.nodes();
    for (int one = 0; one < nodes.size(); one++) {
      for (int other = one + 1; other < nodes.size(); other++) {
        link(nodes.get(one).host(), nodes.get(other).host(), other < size);
      }
    }
    for (int node = 0; node < nodes.size(); node++) {
      HostedNode waited = nodes.get(node);
      int peers = node < size ? size : 1;
      await(waited.host().name() + " knows as many nodes as it should")
          .atMost(PATIENCE)
          .until(() -> waited.peersUp() == peers);
    }
  }

  private void link(Host one, Host other, boolean isWanted) {
    if (isWanted == cuts.contains(Set.of(one, other))) {
      if (isWanted) {
        cuts.remove(Set.of(one, other));
        site.network().mend(Network.Side.BACK, one, other);
      } else {
        cuts.add(Set.of(one, other));
        site.network().cut(Network.Side.BACK, one, other);
      }
    }
  }

  private void warm() throws InterruptedException {
    TimeUnit.SECONDS.sleep(2L * seconds);
  }

  private void measure(int size) throws InterruptedException {
    TimeUnit.SECONDS.sleep(seconds / WINDOWS); // what has just left is forgotten
    List<List<Cost>> costs = new ArrayList<>();
    costs.add(costs());
    for (int i = 0; i < WINDOWS; i++) {
      TimeUnit.MILLISECONDS.sleep(seconds * 1000L / WINDOWS);
      costs.add(costs());
    }
    ScaleRound round =
        new ScaleRound(
            size,
            ofEach(costs, Cost::rateSince),
            ofEach(costs, Cost::microsSince),
            isLimited ? most() : List.of());
    rounds.add(round);
    System.out.println(round);
  }

  private List<Cost> costs() {
    return all.stream().map(Cost::of).toList();
  }

  /** The middle one of all windows, of each node. */
  private static List<Double> ofEach(List<List<Cost>> costs, BiFunction<Cost, Cost, Double> since) {
    return IntStream.range(0, costs.get(0).size())
        .mapToObj(
            node ->
                Median.of(
                    IntStream.range(1, costs.size())
                        .mapToObj(
                            i -> since.apply(costs.get(i).get(node), costs.get(i - 1).get(node)))
                        .toList()))
        .toList();
  }

  /** Raises what comes until no node sends more by it, and takes the most that each has sent. */
  private List<Double> most() throws InterruptedException {
    List<Numbers> more = new ArrayList<>();
    List<Double> most = new ArrayList<>(all.stream().map(node -> 0.0).toList());
    try (Quotas quotas = new Quotas()) {
      quotas.limit(all, QUOTA_PERCENT);
      for (int everyMs : MORE_EVERY_MS) {
        more.add(site.publish(Duration.ofMillis(everyMs)));
        TimeUnit.SECONDS.sleep(1);
        if (!sendMore(most)) {
          break;
        }
      }
    } finally {
      more.forEach(Numbers::close);
    }
    TimeUnit.SECONDS.sleep(seconds / WINDOWS); // what waits is sent
    return most;
  }

  /** Whether any node has sent clearly more than before. */
  private boolean sendMore(List<Double> most) throws InterruptedException {
    List<Cost> before = costs();
    TimeUnit.MILLISECONDS.sleep(seconds * 1000L / WINDOWS);
    List<Cost> after = costs();
    boolean any = false;
    for (int node = 0; node < most.size(); node++) {
      double rate = after.get(node).rateSince(before.get(node));
      any |= rate > CLEARLY_MORE * most.get(node);
      most.set(node, Math.max(most.get(node), rate));
    }
    return any;
  }

  /** Limits of some nodes, each its own. */
  private static final class Quotas implements AutoCloseable {
    private final List<Quota> all = new ArrayList<>();

    void limit(List<HostedNode> nodes, int percent) {
      for (HostedNode node : nodes) {
        Quota quota = new Quota(node.host().name(), percent);
        all.add(quota);
        quota.limit(node.pid());
      }
    }

    @Override
    public void close() {
      all.forEach(Quota::close);
    }
  }
}
