package io.sluice.gateway.sim;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** One run: a broker, nodes and clients, and the faults between them. */
final class World implements AutoCloseable {
  private static final long HEALING = 40 * Plan.SECOND;

  /** Time without a delivery after which all messages have arrived. */
  private static final long QUIET = 5 * Plan.SECOND;

  /** Time for which a leaf waits for messages before a position, less some delays. */
  private static final long LONGEST_HOLD = 25 * Plan.SECOND;

  private static final long STEP = 100 * Plan.MILLI;

  final Timeline timeline = new Timeline();
  final Tally tally = new Tally();
  final SeededRandom random;
  final Plan plan;
  final Trace trace;
  final boolean wild;
  final SimulatedBroker broker;
  final List<SimulatedNode> nodes = new ArrayList<>();

  private final Histories histories;
  final Announcements announcements;

  private final Snapshots snapshots;
  private final Promise promise;
  private final List<SimulatedClient> clients = new ArrayList<>();
  private boolean faulty = true;

  /** Directory of the nodes' journals, or null. */
  private Path disk;

  /**
   * @param wild whether reordering and clock errors exceed the configured tolerance. Then nothing
   *     is guaranteed but that all parts continue to run.
   * @param selective whether clients use selectors
   * @param compressed whether clients use compression
   * @param ordered whether the source is ordered
   * @param tiered whether some nodes are leaves of others
   */
  World(
      long seed,
      Climate climate,
      boolean traced,
      Set<Rule> broken,
      boolean wild,
      boolean selective,
      boolean compressed,
      boolean ordered,
      boolean tiered,
      GatewayMetrics metrics) {
    this.random = new SeededRandom(seed);
    this.wild = wild;
    this.trace = new Trace(traced, timeline);
    this.plan =
        new Plan(
            seed,
            timeline,
            random,
            Durability.stream(seed),
            new Selectors(seed, selective),
            ordered || tiered
                ? new MessageIds(MessageIds.Kind.EQUAL, broken)
                : MessageIds.of(seed, broken),
            ordered ? new SimulatedStream(seed, broken) : null,
            tiered ? new Tiers(seed, broken) : null,
            climate,
            broken,
            wild,
            compressed);
    this.broker = new SimulatedBroker(timeline, random, plan);
    this.histories = new Histories(random);
    this.snapshots = new Snapshots(broker);
    this.announcements = new Announcements(timeline, plan, trace);
    this.promise = new Promise(plan, histories, broker, announcements);
    for (int i = 0; i < plan.nodes; i++) {
      boolean isLeaf = tiered && plan.tiers.isLeaf(i);
      nodes.add(
          new SimulatedNode(
              (isLeaf ? "leaf-" : "node-") + i,
              isLeaf ? plan.tiers.rootsOf(i).stream().map(nodes::get).toList() : List.of(),
              timeline,
              random,
              plan,
              broker,
              histories,
              metrics,
              trace,
              isLeaf ? null : journal("node-" + i),
              () -> faulty,
              announcements));
    }
    for (int i = 0; i < plan.clients; i++) {
      clients.add(new SimulatedClient("client-" + i, this, broken));
    }
  }

  private NodeJournal journal(String node) {
    return plan.durability.isNone()
        ? null
        : new NodeJournal(disk().resolve(node), plan.durableRandom, plan);
  }

  // A memory file system does not block, and the files left by a crash do not depend on it.
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

  /** Deletes the files of the nodes. */
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

  /** Injects faults until this number of events, then ends them and checks the final state. */
  void run(long events) {
    nodes.forEach(SimulatedNode::start);
    clients.forEach(client -> timeline.after(random.between(0, Plan.SECOND), client::connect));
    for (int publisher = 0; publisher < plan.publishers; publisher++) {
      publish(publisher);
    }
    every(plan.clientCutMean, () -> random.of(clients).cut());
    every(plan.clientPauseMean, this::pause);
    every(plan.clientReplaceMean, () -> random.of(clients).replace());
    every(plan.nodeFaultMean, this::breakNode);
    every(plan.linkFaultMean, this::breakLink);
    every(plan.nodeFaultMean, this::setClock);
    every(plan.hardship.burstMean(), this::publishMany);
    every(plan.hardship.refusalMean(), this::refuse);
    every(plan.overload.backlogMean(), this::overload);
    every(plan.hardship.invalidRequestMean(), () -> random.of(clients).sendInvalidRequest());
    sendBound();
    every(
        plan.binding.isolationMean(), () -> announcements.isolate(plan.binding.random().of(nodes)));
    stepClocks();
    every(plan.durability.restartMean(), this::restartBroker);
    every(plan.durability.crashMean(), () -> crashNode(0));
    every(plan.durability.fullDiskMean(), this::fillDisk);
    changeStream();
    while (timeline.events() < events) {
      timeline.runFor(STEP);
    }
    heal();
  }

  private void changeStream() {
    SimulatedStream stream = plan.stream;
    if (stream != null) {
      every(stream.growthMean, stream::grow);
      every(stream.removalMean, () -> stream.remove());
      every(stream.compactionMean, () -> stream.compact(broker));
      every(stream.restartMean, this::restartStream);
      every(stream.electionMean, () -> elect(false));
      every(stream.truncationMean, () -> elect(true));
    }
  }

  private void elect(boolean truncates) {
    trace.note("broker", () -> "elects a leader" + (truncates ? " that lacks messages" : ""));
    broker.elect(truncates);
  }

  private void restartStream() {
    trace.note("broker", () -> "creates the stream again");
    plan.stream.restart();
  }

  // A mean of 0 disables the fault.
  private void every(long meanMicros, Runnable fault) {
    if (meanMicros == 0) {
      return;
    }
    timeline.after(
        random.pause(meanMicros),
        () -> {
          if (faulty) {
            fault.run();
            every(meanMicros, fault);
          }
        });
  }

  private void publish(int publisher) {
    timeline.after(
        random.oneIn(4) ? random.between(0, 200) : random.pause(plan.publishMean),
        () -> {
          if (faulty) {
            boolean forwardable = !random.oneIn(plan.unforwardableOneIn);
            publishOne(publisher, random.of(plan.topics), anyKey(), forwardable);
            publish(publisher);
          }
        });
  }

  private void publishMany() {
    int publisher = random.below(plan.publishers);
    for (long left = random.between(1, plan.hardship.burst()); left > 0; left--) {
      publishOne(publisher, random.of(plan.topics), anyKey(), true);
    }
  }

  private void sendBound() {
    LateBinding binding = plan.binding;
    if (binding.isNone()) {
      return;
    }
    timeline.after(
        binding.random().pause(binding.meanMicros()),
        () -> {
          if (faulty) {
            List<String> keys = plan.hardship.keys();
            String key = keys.isEmpty() ? null : binding.random().of(keys);
            LateBinding.Bound sent = broker.bind(binding.random().of(plan.topics), key);
            String kind = sent.scheduled ? " as scheduled" : " in a transaction";
            trace.note("broker", () -> "binds " + sent.message + kind);
            sendBound();
          }
        });
  }

  private void stepClocks() {
    if (plan.steps.isNone()) {
      return;
    }
    timeline.after(
        plan.steps.pause(),
        () -> {
          if (faulty) {
            long absence = plan.steps.step();
            clients.stream()
                .filter(client -> plan.steps.isAway())
                .forEach(client -> client.leave(absence));
            trace.note("node", () -> "the clocks step to " + nodes.get(0).clock.wallMs());
            stepClocks();
          }
        });
  }

  private String anyKey() {
    return plan.hardship.keys().isEmpty() ? null : random.of(plan.hardship.keys());
  }

  private void publishOne(int publisher, String topic, String key, boolean forwardable) {
    Published message = broker.publish(publisher, topic, key, forwardable);
    trace.note("broker", () -> "accepts " + message + (forwardable ? "" : " (not forwardable)"));
  }

  /** Returns whether the faults have ended. */
  boolean isHealing() {
    return !faulty;
  }

  /** Returns whether a client's next connection is slow. */
  boolean makesSlow() {
    return faulty && plan.hardship.isSlow(random);
  }

  private void refuse() {
    List<String> subjects = new ArrayList<>(plan.topics);
    subjects.addAll(plan.patterns);
    subjects.addAll(plan.hardship.warm());
    subjects.addAll(plan.durability.patterns());
    String subject = random.of(subjects);
    trace.note("broker", () -> "refuses " + subject);
    broker.refuse(subject, random.between(0, 4 * Plan.SECOND));
  }

  // A node may be down during the restart, with equal probability.
  private void restartBroker() {
    boolean emptied = plan.durableRandom.oneIn(plan.durability.storeOneIn());
    long away = plan.durableRandom.oneIn(2) ? 2 * Plan.SECOND : 0;
    if (away > 0) {
      crashNode(away);
    }
    timeline.after(plan.durableRandom.between(0, away), () -> restartBroker(emptied));
  }

  private void restartBroker(boolean emptied) {
    trace.note("node", () -> "the broker is restarted" + (emptied ? " with an empty disk" : ""));
    broker.restart(emptied);
  }

  private void crashNode(long minAwayMicros) {
    SimulatedNode node = plan.durableRandom.of(nodes);
    node.crash();
    timeline.after(minAwayMicros + plan.durableRandom.mostlySmall(10 * Plan.SECOND), node::start);
  }

  private void fillDisk() {
    SimulatedNode node = plan.durableRandom.of(nodes);
    node.fullDisk(true);
    timeline.after(plan.durableRandom.mostlySmall(10 * Plan.SECOND), () -> node.fullDisk(false));
  }

  private void pause() {
    random.of(clients).pause(random.mostlySmall(10 * Plan.SECOND));
  }

  private void breakNode() {
    SimulatedNode node = random.of(nodes);
    if (announcements.needs(node)) {
      return;
    }
    if (random.oneIn(2)) {
      node.crash();
    } else {
      node.drain();
    }
    timeline.after(random.mostlySmall(10 * Plan.SECOND), node::start);
  }

  private void setClock() {
    SimulatedNode node = random.of(nodes);
    node.clock.skewMicros = random.between(-plan.skew, plan.skew);
    trace.note(node.name, () -> "has its clock set to " + node.clock.wallMs());
  }

  private void breakLink() {
    SimulatedNode node = random.of(nodes);
    if (!node.isUp() || !node.link().isUp()) {
      return;
    }
    if (plan.hardship.refusalMean() > 0) {
      refuse(); // the node may be refused topics that it had before
    }
    switch (random.below(4)) {
      case 0 -> {
        trace.note(node.name, () -> "loses the broker");
        node.link().lose();
      }
      case 1 -> {
        trace.note(node.name, () -> "has a silent link");
        node.link().becomeHalfOpen();
      }
      default -> {
        trace.note(node.name, () -> "has a slow link");
        node.link().stall();
      }
    }
  }

  private void overload() {
    SimulatedNode node = random.of(nodes);
    if (node.isUp() && node.link().isUp()) {
      trace.note(node.name, () -> "falls behind the broker");
      node.link().fallBehind();
    }
  }

  // Runs long enough for every timeout and retry, then publishes a last message for each slot.
  private void heal() {
    faulty = false;
    plan.discards.end();
    broker.refuseNothing();
    nodes.forEach(SimulatedNode::widenLinks);
    clients.forEach(SimulatedClient::readAtFullSpeed);
    timeline.runFor(HEALING / 2);
    nodes.forEach(SimulatedNode::start);
    timeline.runFor(HEALING - QUIET);
    runUntilQuiet();
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

  // A backlog may pass several tiers, each with a slow sequencer and a short queue.
  private void runUntilQuiet() {
    long before;
    do {
      before = tally.delivered;
      timeline.runFor(QUIET);
    } while (tally.delivered > before);
  }

  // One message at a time, so that no client is too slow for it. Each selector gets one.
  private void publishLast(int publisher, String topic) {
    List<String> keys = plan.hardship.keys();
    int parts = plan.selectors.isNone() ? 1 : Selectors.PARTS;
    for (int i = 0; i < parts * Math.max(1, keys.size()); i++) {
      publishOne(publisher, topic, keys.isEmpty() ? null : keys.get(i / parts), true);
      timeline.runFor(STEP);
    }
  }

  /**
   * Checks a completed snapshot.
   *
   * @param gap whether a gap followed it
   */
  void onSnapshot(
      Application application,
      SimulatedNode node,
      Continuity.Answer answer,
      List<Long> replayed,
      boolean gap) {
    tally.snapshots++;
    if (gap) {
      tally.outdatedSnapshots++;
      application.expectGap();
    }
    String violation =
        application.key.hasSelector() || plan.stream != null || repeatsEpochs()
            ? null
            : violation(application.key.topic(), node, answer, replayed, gap);
    if (violation != null) {
      application.fail(violation);
    }
  }

  private String violation(
      String pattern,
      SimulatedNode node,
      Continuity.Answer answer,
      List<Long> replayed,
      boolean gap) {
    History own = histories.of(answer.epoch());
    History history = own == null ? histories.feeding(answer.epoch(), pattern) : own;
    // Beyond the tolerance, a node also reports late messages, which the history does not have.
    boolean unknown = history == null || wild || !plan.overload.isNone() || !plan.ids.areSound();
    if (unknown
        || promise.mayReportLate(history)
        || plan.config.get(HistorySettings.MESSAGES) == 0) {
      return null;
    }
    if (own == null && !plan.steps.isNone()) {
      return null; // the answer's time may be from before a step
    }
    long min = own == null ? promise.settled(history, answer, node.clock) : answer.offset();
    long max = own == null ? history.last() : answer.offset();
    return snapshots.violation(history, pattern, min, max, replayed, gap);
  }

  // Several histories then have one epoch.
  private boolean repeatsEpochs() {
    return plan.breaks(Rule.RESTART_HAS_ANOTHER_EPOCH);
  }

  /** Checks the answer of a node to a position. */
  void onResumed(
      Application application,
      SimulatedNode node,
      Position position,
      Continuity.Answer answer,
      long askedMicros) {
    if (answer.recovered()) {
      tally.recovered++;
      return;
    }
    tally.unrecovered++;
    if (repeatsEpochs()) {
      return;
    }
    if (node.isLeaf()) {
      checkLeaf(application, node, position, answer, askedMicros);
      return;
    }
    if (plan.stream != null) {
      checkUnrecovered(application, node, position, answer);
      return;
    }
    // With slow sequencers, histories and logs differ.
    String why =
        !wild && plan.overload.isNone() && plan.ids.areSound() && plan.steps.isNone()
            ? promise.broken(application, position, answer, node.clock)
            : null;
    if (why != null) {
      application.fail("received a gap from " + node.name + " although " + why);
    }
  }

  // A log that is not limited has everything since its beginning.
  private void checkLeaf(
      Application application,
      SimulatedNode node,
      Position position,
      Continuity.Answer answer,
      long askedMicros) {
    StreamPlace base = node.base(application.key);
    boolean isOfStream = position.epoch() >>> 32 == answer.epoch() >>> 32 && node.isExact();
    if (isOfStream
        && plan.hasLongLogs()
        && base != null
        && base.stream() == (int) (answer.epoch() >>> 32)
        && !position.ids().isEmpty()
        && StreamPlace.offset(Collections.max(position.ids())) >= base.offsetOf(0)
        && timeline.nowMicros() < askedMicros + LONGEST_HOLD) {
      application.fail("received a gap from " + node.name + " although its log has everything");
    }
  }

  private void checkUnrecovered(
      Application application, SimulatedNode node, Position position, Continuity.Answer answer) {
    SimulatedStream stream = plan.stream;
    int number = (int) (position.epoch() >>> 32);
    boolean isOfStream = number == (int) (answer.epoch() >>> 32) && number == stream.number();
    if (isOfStream
        && stream.truncationMean == 0
        && !((StreamLink) node.link()).hasFailed()
        && stream.canRead(broker, application.key, Places.highest(position.ids()))) {
      application.fail("received a gap from " + node.name + " although the source has everything");
    }
  }

  /** Checks a gap. */
  void onGap(Application application, String reason, Continuity.Answer answer) {
    if (!plan.ids.areSound() || repeatsEpochs()) {
      return;
    }
    // With a backlog, each message may seem to be bound at the send.
    if (!wild && plan.overload.isNone() && reason.equals("broker-lost")) {
      String needless = promise.brokenByLateGap(histories.of(answer.epoch()));
      if (needless != null) {
        application.fail("received the gap broker-lost although " + needless);
      }
    }
    String why = promise.brokenByGap(answer.epoch(), application.key.topic());
    if (why != null && reason.equals("broker-lost")) {
      application.fail("received the gap broker-lost although " + why);
    }
  }
}
