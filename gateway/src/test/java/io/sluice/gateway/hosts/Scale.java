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
 * Measurement of the cost and the capacity of nodes in clusters of one, two and three. All nodes
 * run all the time under the same load, and only the traffic between them is cut. Each node is thus
 * compared with itself, compiled and warm, on a machine with a constant load. The witness, an
 * additional node that is always alone, reveals fluctuations of the machine. Bound to one thread.
 */
final class Scale {
  /** Percentage of one processor, so two processors suffice for all nodes and their load. */
  static final int QUOTA_PERCENT = 20;

  /**
   * Size of the cluster in each round, in an order in which a drift of the machine affects each
   * size alike.
   */
  private static final List<Integer> SIZES = List.of(1, 2, 3, 3, 2, 1, 3, 2, 1, 1, 2, 3);

  /** Number of warm-ups after which a node's virtual machine has compiled almost everything. */
  private static final int WARM_UPS = 4;

  private static final int WINDOWS = 3;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  /** Additional load of each further publisher; the last one overloads the nodes. */
  private static final int[] EXTRA_INTERVALS_MS = {10, 5, 2, 1};

  private static final double CLEARLY_MORE = 1.05;

  private final Site site;
  private final Plan plan;
  private final int seconds;
  private final boolean isLimited;
  private final List<ScaleRound> rounds = new ArrayList<>();

  /** Nodes, followed by the witness. */
  private final List<HostedNode> all;

  /** Pairs of hosts that are partitioned. */
  private final Set<Set<Host>> cuts = new HashSet<>();

  /**
   * @param seconds duration of each measurement; nodes warm up for eight times as long, and more
   * @param isLimited whether nodes can be limited to a fraction of a processor
   */
  Scale(Site site, Plan plan, int seconds, boolean isLimited) {
    this.site = site;
    this.plan = plan;
    this.seconds = seconds;
    this.isLimited = isLimited;
    this.all = Stream.concat(site.nodes().stream(), Stream.of(site.witness())).toList();
  }

  /** Runs all rounds. */
  List<ScaleRound> run() throws InterruptedException {
    all.forEach(HostedNode::start);
    all.forEach(node -> site.addClientsOf(node, plan.clients()));
    for (int i = 0; i < WARM_UPS; i++) {
      warm();
      if (isLimited) {
        maxRates(); // so the code for this load is compiled as well
      }
    }
    for (int size : SIZES) {
      cluster(size);
      measure(size);
    }
    return rounds;
  }

  /** Forms a cluster of the first nodes; each further node is alone. */
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
      await(waited.host().name() + " is in a cluster of the expected size")
          .atMost(TIMEOUT)
          .until(() -> waited.peersUp() == peers);
    }
  }

  private void link(Host one, Host other, boolean isWanted) {
    if (isWanted == cuts.contains(Set.of(one, other))) {
      if (isWanted) {
        cuts.remove(Set.of(one, other));
        site.network().restore(Network.Side.BACK, one, other);
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
    TimeUnit.SECONDS.sleep(seconds / WINDOWS); // state of departed nodes is discarded
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
            isLimited ? maxRates() : List.of());
    rounds.add(round);
    System.out.println(round);
  }

  private List<Cost> costs() {
    return all.stream().map(Cost::of).toList();
  }

  /** Returns the median over all windows, for each node. */
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

  /** Raises the load until no node sends more. Returns the maximum rate of each node. */
  private List<Double> maxRates() throws InterruptedException {
    List<Numbers> more = new ArrayList<>();
    List<Double> max = new ArrayList<>(all.stream().map(node -> 0.0).toList());
    try (CpuQuotas quotas = new CpuQuotas()) {
      quotas.limit(all, QUOTA_PERCENT);
      for (int everyMs : EXTRA_INTERVALS_MS) {
        more.add(site.publish(Duration.ofMillis(everyMs)));
        TimeUnit.SECONDS.sleep(1);
        if (!sendMore(max)) {
          break;
        }
      }
    } finally {
      more.forEach(Numbers::close);
    }
    TimeUnit.SECONDS.sleep(seconds / WINDOWS); // queued messages are sent
    return max;
  }

  /** Returns whether any node has sent clearly more than before. */
  private boolean sendMore(List<Double> max) throws InterruptedException {
    List<Cost> before = costs();
    TimeUnit.MILLISECONDS.sleep(seconds * 1000L / WINDOWS);
    List<Cost> after = costs();
    boolean any = false;
    for (int node = 0; node < max.size(); node++) {
      double rate = after.get(node).rateSince(before.get(node));
      any |= rate > CLEARLY_MORE * max.get(node);
      max.set(node, Math.max(max.get(node), rate));
    }
    return any;
  }

  /** Limits of several nodes. */
  private static final class CpuQuotas implements AutoCloseable {
    private final List<CpuQuota> all = new ArrayList<>();

    void limit(List<HostedNode> nodes, int percent) {
      for (HostedNode node : nodes) {
        CpuQuota quota = new CpuQuota(node.host().name(), percent);
        all.add(quota);
        quota.limit(node.pid());
      }
    }

    @Override
    public void close() {
      all.forEach(CpuQuota::close);
    }
  }
}
