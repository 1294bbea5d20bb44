package io.sluice.gateway.sim;

import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One run: a broker, nodes and clients, and what goes wrong between them. */
final class World implements AutoCloseable {
  private static final long HEALING = 40 * Plan.SECOND;
  private static final long STEP = 100 * Plan.MILLI;

  final Timeline timeline = new Timeline();
  final Tally tally = new Tally();
  final Chance chance;
  final Plan plan;
  final Trace trace;
  final boolean wild;
  final SimulatedBroker broker;
  final List<SimulatedNode> nodes = new ArrayList<>();

  private final Histories histories;
  private final Snapshots snapshots;
  private final Promise promise;
  private final List<SimulatedClient> clients = new ArrayList<>();
  private boolean faulty = true;

  /** Where the nodes' journals are, or null. */
  private Path disk;

  /**
   * @param wild whether reordering and clocks are worse than any configuration says, so that
   *     nothing is promised but that everybody goes on
   */
  World(
      long seed,
      Climate climate,
      boolean traced,
      Set<Rule> broken,
      boolean wild,
      GatewayMetrics metrics) {
    this.chance = new Chance(seed);
    this.wild = wild;
    this.trace = new Trace(traced, timeline);
    this.plan = new Plan(chance, Durability.stream(seed), climate, broken, wild);
    this.broker = new SimulatedBroker(timeline, chance, plan);
    this.histories = new Histories(chance);
    this.snapshots = new Snapshots(broker);
    this.promise = new Promise(plan, histories);
    for (int i = 0; i < plan.nodes; i++) {
      nodes.add(
          new SimulatedNode(
              "node-" + i,
              timeline,
              chance,
              plan,
              broker,
              histories,
              metrics,
              trace,
              journal("node-" + i),
              () -> faulty));
    }
    for (int i = 0; i < plan.clients; i++) {
      clients.add(new SimulatedClient("client-" + i, this, broken));
    }
  }

  private NodeJournal journal(String node) {
    return plan.durability.isNone()
        ? null
        : new NodeJournal(disk().resolve(node), plan.durableChance, plan);
  }

  // One that waits for nothing, if there is one: what a crash leaves does not depend on it.
  private Path disk() {
    try {
      if (disk == null) {
        Path memory = Path.of("/dev/shm");
        disk =
            Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "sluice-sim")
                : Files.createTempDirectory("sluice-sim");
      }
      return disk;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes what nodes have written. */
  @Override
  public void close() {
    try {
      nodes.forEach(SimulatedNode::close);
      if (disk != null) {
        Files.delete(disk);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lets faults happen until so many events have, then heals everything and looks at the end. */
  void run(long events) {
    nodes.forEach(SimulatedNode::start);
    clients.forEach(client -> timeline.after(chance.between(0, Plan.SECOND), client::connect));
    for (int publisher = 0; publisher < plan.publishers; publisher++) {
      publish(publisher);
    }
    every(plan.clientCutMean, () -> chance.of(clients).cut());
    every(plan.clientPauseMean, this::pause);
    every(plan.clientReplaceMean, () -> chance.of(clients).replace());
    every(plan.nodeFaultMean, this::breakNode);
    every(plan.linkFaultMean, this::breakLink);
    every(plan.nodeFaultMean, this::setClock);
    every(plan.hardship.burstMean(), this::publishMany);
    every(plan.hardship.refusalMean(), this::refuse);
    every(plan.overload.backlogMean(), this::overload);
    every(plan.hardship.vainMean(), () -> chance.of(clients).askInVain());
    every(plan.durability.restartMean(), this::restartBroker);
    every(plan.durability.crashMean(), () -> crashNode(0));
    every(plan.durability.fullDiskMean(), this::fillDisk);
    while (timeline.events() < events) {
      timeline.runFor(STEP);
    }
    heal();
  }

  // What has no mean never happens.
  private void every(long meanMicros, Runnable fault) {
    if (meanMicros == 0) {
      return;
    }
    timeline.after(
        chance.pause(meanMicros),
        () -> {
          if (faulty) {
            fault.run();
            every(meanMicros, fault);
          }
        });
  }

  private void publish(int publisher) {
    timeline.after(
        chance.oneIn(4) ? chance.between(0, 200) : chance.pause(plan.publishMean),
        () -> {
          if (faulty) {
            boolean forwardable = !chance.oneIn(plan.unforwardableOneIn);
            publishOne(publisher, chance.of(plan.topics), anyKey(), forwardable);
            publish(publisher);
          }
        });
  }

  private void publishMany() {
    int publisher = chance.below(plan.publishers);
    for (long left = chance.between(1, plan.hardship.burst()); left > 0; left--) {
      publishOne(publisher, chance.of(plan.topics), anyKey(), true);
    }
  }

  private String anyKey() {
    return plan.hardship.keys().isEmpty() ? null : chance.of(plan.hardship.keys());
  }

  private void publishOne(int publisher, String topic, String key, boolean forwardable) {
    Published message = broker.publish(publisher, topic, key, forwardable);
    trace.note("broker", () -> "accepts " + message + (forwardable ? "" : " (not forwardable)"));
  }

  /** Whether a client's next connection is a slow one. */
  boolean makesSlow() {
    return faulty && plan.hardship.isSlow(chance);
  }

  private void refuse() {
    List<String> subjects = new ArrayList<>(plan.topics);
    subjects.addAll(plan.patterns);
    subjects.addAll(plan.hardship.warm());
    subjects.addAll(plan.durability.patterns());
    String subject = chance.of(subjects);
    trace.note("broker", () -> "refuses " + subject);
    broker.refuse(subject, chance.between(0, 4 * Plan.SECOND));
  }

  // As likely as not while a node is down, too.
  private void restartBroker() {
    boolean emptied = plan.durableChance.oneIn(plan.durability.storeOneIn());
    long away = plan.durableChance.oneIn(2) ? 2 * Plan.SECOND : 0;
    if (away > 0) {
      crashNode(away);
    }
    timeline.after(plan.durableChance.between(0, away), () -> restartBroker(emptied));
  }

  private void restartBroker(boolean emptied) {
    trace.note("node", () -> "the broker is restarted" + (emptied ? " with an empty disk" : ""));
    broker.restart(emptied);
  }

  private void crashNode(long leastAway) {
    SimulatedNode node = plan.durableChance.of(nodes);
    node.crash();
    timeline.after(leastAway + plan.durableChance.mostlySmall(10 * Plan.SECOND), node::start);
  }

  private void fillDisk() {
    SimulatedNode node = plan.durableChance.of(nodes);
    node.fullDisk(true);
    timeline.after(plan.durableChance.mostlySmall(10 * Plan.SECOND), () -> node.fullDisk(false));
  }

  private void pause() {
    chance.of(clients).pause(chance.mostlySmall(10 * Plan.SECOND));
  }

  private void breakNode() {
    SimulatedNode node = chance.of(nodes);
    if (chance.oneIn(2)) {
      node.crash();
    } else {
      node.drain();
    }
    timeline.after(chance.mostlySmall(10 * Plan.SECOND), node::start);
  }

  private void setClock() {
    SimulatedNode node = chance.of(nodes);
    node.clock.skewMicros = chance.between(-plan.skew, plan.skew);
    trace.note(node.name, () -> "has its clock set to " + node.clock.wallMs());
  }

  private void breakLink() {
    SimulatedNode node = chance.of(nodes);
    if (!node.isUp() || !node.link().isUp()) {
      return;
    }
    if (plan.hardship.refusalMean() > 0) {
      refuse(); // what the node had before it may not get again
    }
    switch (chance.below(4)) {
      case 0 -> {
        trace.note(node.name, () -> "loses the broker");
        node.link().lose();
      }
      case 1 -> {
        trace.note(node.name, () -> "has a silent link");
        node.link().fallSilent();
      }
      default -> {
        trace.note(node.name, () -> "has a slow link");
        node.link().stall();
      }
    }
  }

  private void overload() {
    SimulatedNode node = chance.of(nodes);
    if (node.isUp() && node.link().isUp()) {
      trace.note(node.name, () -> "falls behind the broker");
      node.link().fallBehind();
    }
  }

  // Long enough for every patience and every retry; then a last message for each slot.
  private void heal() {
    faulty = false;
    broker.refuseNothing();
    clients.forEach(SimulatedClient::hurry);
    timeline.runFor(HEALING / 2);
    nodes.forEach(SimulatedNode::start);
    timeline.runFor(HEALING);
    clients.forEach(SimulatedClient::checkAtRest);
    for (int publisher = plan.publishers - 1; publisher >= 0; publisher--) {
      for (String topic : plan.topics) {
        publishLast(publisher, topic);
      }
      timeline.runFor(Plan.SECOND);
    }
    timeline.runFor(HEALING);
    clients.forEach(SimulatedClient::checkFinal);
  }

  // One at a time: nobody is too slow for that.
  private void publishLast(int publisher, String topic) {
    List<String> keys = plan.hardship.keys();
    for (int i = 0; i < Math.max(1, keys.size()); i++) {
      publishOne(publisher, topic, keys.isEmpty() ? null : keys.get(i), true);
      timeline.runFor(STEP);
    }
  }

  /** A snapshot has come to its end. */
  void onSnapshot(
      Application application, SimulatedNode node, Continuity.Answer answer, List<Long> replayed) {
    tally.snapshots++;
    String wrong = wrong(application.pattern, node, answer, replayed);
    if (wrong != null) {
      application.fail(wrong);
    }
  }

  private String wrong(
      String pattern, SimulatedNode node, Continuity.Answer answer, List<Long> replayed) {
    History own = histories.of(answer.epoch());
    History history = own == null ? histories.feeding(answer.epoch(), pattern) : own;
    boolean unknown = history == null || !plan.overload.isNone();
    if (unknown || plan.config.get(HistorySettings.MESSAGES) == 0) {
      return null;
    }
    long least = own == null ? promise.settled(history, answer, node.clock) : answer.offset();
    long most = own == null ? history.last() : answer.offset();
    return snapshots.wrong(history, pattern, least, most, replayed);
  }

  /** A node has answered a position. */
  void onResumed(
      Application application, SimulatedNode node, Position position, Continuity.Answer answer) {
    if (answer.recovered()) {
      tally.recovered++;
      return;
    }
    tally.unrecovered++;
    // Where sequencers are late, the histories are not what the logs have.
    String why =
        plan.overload.isNone() ? promise.broken(application, position, answer, node.clock) : null;
    if (why != null) {
      application.fail("is told of a gap by " + node.name + " although " + why);
    }
  }

  /** A node has told of a gap. */
  void onGap(Application application, String reason, Continuity.Answer answer) {
    String why = promise.brokenByGap(answer.epoch(), application.pattern);
    if (why != null && reason.equals("broker-lost")) {
      application.fail("is told that the broker was lost although " + why);
    }
  }
}
