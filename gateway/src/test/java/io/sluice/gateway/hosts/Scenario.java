package io.sluice.gateway.hosts;

import static org.awaitility.Awaitility.await;

import io.sluice.gateway.hosts.HostedNode.Traffic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** What happens to a site, step by step. Bound to one thread. */
final class Scenario {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String CONNECTED = "sluice_broker_connected";

  private final Site site;
  private final Plan plan;
  private final ConnectRate connects;
  private final List<StepResult> steps = new ArrayList<>();
  private Traffic traffic = new Traffic(0, 0);

  Scenario(Site site, Plan plan, ConnectRate connects) {
    this.site = site;
    this.plan = plan;
    this.connects = connects;
  }

  /** Something that is done to the site. */
  @FunctionalInterface
  private interface Action {
    void run() throws InterruptedException;
  }

  /** Runs it all. */
  Findings run() throws InterruptedException {
    grow();
    orderly("third node joins", () -> site.start(node(3)));
    site.addClients(plan.clients());
    site.awaitEven();
    quiet();
    fallSilent();
    if (!plan.isFull()) { // while all nodes are there, so that none has to come back first
      upgrades();
    }
    step("node killed (kill -9)", () -> node(2).kill());
    if (plan.isFull()) {
      back(node(2));
      orderly("node drains (SIGTERM)", node(3)::stop);
      back(node(3));
      upgrades();
    }
    return new Findings(plan, steps, traffic);
  }

  private void grow() {
    for (int number = 1; number < Site.NODES; number++) {
      site.start(node(number));
      site.addClients(plan.clients());
    }
  }

  /** The nth. */
  private HostedNode node(int number) {
    return site.nodes().get(number - 1);
  }

  // Nothing is worth telling: what goes between nodes is what keeps the cluster together.
  private void quiet() throws InterruptedException {
    Traffic before = sent();
    TimeUnit.SECONDS.sleep(plan.quietS());
    traffic = sent().minus(before);
  }

  private Traffic sent() {
    return site.running().stream()
        .map(HostedNode::sentToNodes)
        .reduce(new Traffic(0, 0), Traffic::plus);
  }

  private void upgrades() throws InterruptedException {
    for (int i = 1; i <= plan.upgrades(); i++) {
      orderly("rolling upgrade " + i, this::upgrade);
    }
  }

  private void back(HostedNode node) throws InterruptedException {
    orderly("node restarts", () -> site.start(node));
  }

  private void pause(HostedNode node) throws InterruptedException {
    node.pause();
    TimeUnit.SECONDS.sleep(plan.pauseS());
    node.resume();
    node.awaitReady();
  }

  private void fallSilent() throws InterruptedException {
    step("node frozen for %d s".formatted(plan.pauseS()), () -> pause(node(1)));
    if (plan.isFull()) { // the others notice silence late
      step("node partitioned from the others", () -> cutNodes(node(1)));
    }
    step("node partitioned from the broker", false, node(2)::connections, () -> cutBroker(node(2)));
  }

  private void cutNodes(HostedNode one) throws InterruptedException {
    List<HostedNode> others = site.nodes().stream().filter(node -> node != one).toList();
    others.forEach(o -> site.network().cut(Network.Side.BACK, one.host(), o.host()));
    await("it is alone").atMost(PATIENCE).until(() -> one.peersUp() == 1);
    TimeUnit.SECONDS.sleep(plan.cutS());
    others.forEach(o -> site.network().mend(Network.Side.BACK, one.host(), o.host()));
  }

  private void cutBroker(HostedNode node) throws InterruptedException {
    site.network().cut(Network.Side.FRONT, node.host(), site.brokerHost());
    await("it has noticed").atMost(PATIENCE).until(() -> node.metric(CONNECTED) == 0);
    TimeUnit.SECONDS.sleep(plan.cutS());
    site.network().mend(Network.Side.FRONT, node.host(), site.brokerHost());
    node.awaitReady();
  }

  private void upgrade() {
    for (HostedNode node : site.nodes()) {
      site.awaitTrust();
      node.stop();
      site.awaitWhole();
      site.start(node);
    }
  }

  private void step(String name, Action action) throws InterruptedException {
    step(name, false, () -> 0, action);
  }

  /** A step in which nobody's connection may break. */
  private void orderly(String name, Action action) throws InterruptedException {
    step(name, true, () -> 0, action);
  }

  /**
   * Does something, and waits until all is well again.
   *
   * @param mayGap how many clients are told of a gap, at most
   */
  private void step(String name, boolean orderly, IntSupplier mayGap, Action action)
      throws InterruptedException {
    site.awaitTrust();
    int gaps = mayGap.getAsInt();
    connects.takeMost();
    long startNs = System.nanoTime();
    action.run();
    site.awaitWhole();
    double seconds = secondsSince(startNs);
    site.awaitEven();
    site.awaitWhole();
    StepResult result =
        new StepResult(
            plan,
            name,
            seconds,
            secondsSince(startNs),
            site.roamers().take(),
            orderly,
            gaps,
            connects.takeMost(),
            site.spread(),
            site.brokerConnections());
    steps.add(result);
    System.out.println(result);
  }

  private static double secondsSince(long ns) {
    return (System.nanoTime() - ns) / 1e9;
  }
}
