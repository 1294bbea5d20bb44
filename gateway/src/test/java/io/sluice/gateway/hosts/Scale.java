package io.sluice.gateway.hosts;

import io.sluice.gateway.cli.Numbers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Measures what nodes cost, and what they can do, with three of them, two, one, and back, each time
 * after all that run have had the same to do for a while. In the place of those that are too many
 * run nodes that know of no others: the machine always has as much to do, or what is measured would
 * be how a processor's halves hold each other up. Bound to one thread.
 */
final class Scale {
  /** Of one processor, so that all nodes and what loads them have room on two. */
  static final int QUOTA_PERCENT = 20;

  private static final int WINDOWS = 3;

  /** What comes more than before with each further publisher; the last is too much. */
  private static final int[] MORE_EVERY_MS = {10, 5, 2, 1};

  private static final double CLEARLY_MORE = 1.05;

  private final Site site;
  private final Plan plan;
  private final int seconds;
  private final boolean isLimited;
  private final List<ScaleRound> rounds = new ArrayList<>();

  /**
   * @param seconds of each measurement; nodes warm up for twice as long
   * @param isLimited whether nodes can be given a part of a processor
   */
  Scale(Site site, Plan plan, int seconds, boolean isLimited) {
    this.site = site;
    this.plan = plan;
    this.seconds = seconds;
    this.isLimited = isLimited;
  }

  /** Runs it all. */
  List<ScaleRound> run() throws InterruptedException {
    site.nodes().forEach(HostedNode::start);
    site.nodes().forEach(node -> site.addClientsOf(node, plan.clients()));
    warm();
    if (isLimited) {
      most(); // so that what it takes is translated before it is measured for the first time
    }
    warm();
    measure();
    for (int last = Site.NODES - 1; last > 0; last--) {
      replace(site.nodes().get(last), site.loners().get(last));
      measure();
    }
    measure();
    for (int next = 1; next < Site.NODES; next++) {
      replace(site.loners().get(next), site.nodes().get(next));
      measure();
    }
    return rounds;
  }

  /** Its clients come back to the other one, which has the same address. */
  private void replace(HostedNode before, HostedNode after) throws InterruptedException {
    before.kill();
    after.start();
    site.awaitLive();
    warm();
  }

  private void warm() throws InterruptedException {
    TimeUnit.SECONDS.sleep(2L * seconds);
  }

  private void measure() throws InterruptedException {
    TimeUnit.SECONDS.sleep(seconds / WINDOWS); // what has just left is forgotten
    List<List<Cost>> costs = new ArrayList<>();
    costs.add(costs());
    for (int i = 0; i < WINDOWS; i++) {
      TimeUnit.MILLISECONDS.sleep(seconds * 1000L / WINDOWS);
      costs.add(costs());
    }
    ScaleRound round =
        new ScaleRound(
            ofEach(costs, Cost::rateSince),
            ofEach(costs, Cost::microsSince),
            isLimited ? most() : List.of());
    rounds.add(round);
    System.out.println(round);
  }

  private List<Cost> costs() {
    return site.running().stream().map(Cost::of).toList();
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
    List<Double> most = new ArrayList<>(site.running().stream().map(node -> 0.0).toList());
    try (Quotas quotas = new Quotas()) {
      quotas.limit(site.running(), QUOTA_PERCENT);
      quotas.limit(site.loners().stream().filter(HostedNode::runs).toList(), QUOTA_PERCENT);
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
