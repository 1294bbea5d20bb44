package io.sluice.gateway.hosts;

import static org.awaitility.Awaitility.await;

import io.sluice.gateway.hosts.HostedNode.Traffic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** Scenario of a site, step by step. Bound to one thread. */
final class Scenario {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String CONNECTED = "sluice_broker_connected{source=\"jms\"}";

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

  /** Change of the site. */
  @FunctionalInterface
  private interface Action {
    void run() throws InterruptedException;
  }

  /** Runs all steps. */
  Findings run() throws InterruptedException {
    grow();
    orderly("third node joins", () -> site.start(node(3)));
    site.addClients(plan.clients());
    site.awaitEven();
    quiet();
    isolateNodes();
    if (!plan.isFull()) { // while all nodes run, so none has to restart first
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

  /** Returns a node by its number. */
  private HostedNode node(int number) {
    return site.nodes().get(number - 1);
  }

  // Without changes, the traffic between nodes only maintains the cluster.
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

  private void isolateNodes() throws InterruptedException {
    step("node frozen for %d s".formatted(plan.pauseS()), () -> pause(node(1)));
    if (plan.isFull()) { // the others detect a silent node late
      step("node partitioned from the others", () -> cutNodes(node(1)));
    }
    step("node partitioned from the broker", false, node(2)::connections, () -> cutBroker(node(2)));
  }

  private void cutNodes(HostedNode one) throws InterruptedException {
    List<HostedNode> others = site.nodes().stream().filter(node -> node != one).toList();
    others.forEach(o -> site.network().cut(Network.Side.BACK, one.host(), o.host()));
    await("the node is alone").atMost(TIMEOUT).until(() -> one.peersUp() == 1);
    TimeUnit.SECONDS.sleep(plan.cutS());
    others.forEach(o -> site.network().restore(Network.Side.BACK, one.host(), o.host()));
  }

  private void cutBroker(HostedNode node) throws InterruptedException {
    site.network().cut(Network.Side.FRONT, node.host(), site.brokerHost());
    await("the node has lost its broker").atMost(TIMEOUT).until(() -> node.metric(CONNECTED) == 0);
    TimeUnit.SECONDS.sleep(plan.cutS());
    site.network().restore(Network.Side.FRONT, node.host(), site.brokerHost());
    node.awaitReady();
  }

  private void upgrade() {
    for (HostedNode node : site.nodes()) {
      site.awaitTrust();
      node.stop();
      site.awaitComplete();
      site.start(node);
    }
  }

  private void step(String name, Action action) throws InterruptedException {
    step(name, false, () -> 0, action);
  }

  /** Runs a step during which no connection may break. */
  private void orderly(String name, Action action) throws InterruptedException {
    step(name, true, () -> 0, action);
  }

  /**
   * Runs an action and waits until the site has recovered.
   *
   * @param mayGap maximum number of clients that may receive a gap
   */
  private void step(String name, boolean orderly, IntSupplier mayGap, Action action)
      throws InterruptedException {
    site.awaitTrust();
    int gaps = mayGap.getAsInt();
    connects.takeMax();
    long startNs = System.nanoTime();
    action.run();
    site.awaitComplete();
    double seconds = secondsSince(startNs);
    site.awaitEven();
    site.awaitComplete();
    StepResult result =
        new StepResult(
            plan,
            name,
            seconds,
            secondsSince(startNs),
            site.roamers().take(),
            orderly,
            gaps,
            connects.takeMax(),
            site.spread(),
            site.brokerConnections());
    steps.add(result);
    System.out.println(result);
  }

  private static double secondsSince(long ns) {
    return (System.nanoTime() - ns) / 1e9;
  }
}
