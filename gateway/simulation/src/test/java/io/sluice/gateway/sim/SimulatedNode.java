package io.sluice.gateway.sim;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.history.StepDetector;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.hub.HubOptions;
import io.sluice.gateway.hub.HubParts;
import io.sluice.gateway.hub.SourceParts;
import io.sluice.gateway.journal.Journal;
import io.sluice.gateway.journal.TopicJournal;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.link.LinkOptions;
import io.sluice.gateway.link.SimulatedLinks;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionFeatures;
import io.sluice.gateway.session.SessionOptions;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.session.queue.QueueFeatures;
import io.sluice.gateway.session.queue.QueueLimits;
import io.sluice.gateway.shard.CompressionWindow;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.store.Recovery;
import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.store.StoredMessage;
import io.sluice.gateway.websocket.CloseCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A node: the real hub and sessions on simulated threads. It can crash and be started again. */
final class SimulatedNode implements SimulatedLinks.Root {
  /** A node with durable interests ends soon after one in this many losses. */
  private static final int CRASH_AFTER_LOSS_ONE_IN = 2;

  final String name;
  private final SeededRandom identities;
  final NodeClock clock;

  private final Timeline timeline;
  private final SeededRandom random;
  private final Plan plan;
  private final SimulatedBroker broker;
  private final Histories histories;
  private final GatewayMetrics metrics;
  private final Trace trace;
  private final NodeStore store;
  private final NodeJournal journal;
  private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  private final List<SimulatedThread> threads = new ArrayList<>();
  private final List<SimulatedThread> loops = new ArrayList<>();
  private final List<HubShard> shards = new ArrayList<>();
  private final List<SimulatedConnection> connections = new ArrayList<>();
  private Hub hub;
  private SessionPolicy policy;
  private SessionFeature.Table features;
  private NodeLink link;
  private final Map<String, DurableHistory> restored = new HashMap<>();
  private final DurableLink.Host rounds = new Rounds();
  private final BooleanSupplier faulty;
  private final Announcements announcements;

  /** Roots of a leaf; empty for a root. */
  private final List<SimulatedNode> roots;

  private final List<SimulatedNode> leaves = new ArrayList<>();
  private final Config config;
  private SimulatedThread linkLoop;
  private long epochs;
  private Runnable leave = () -> {};
  private boolean up;
  private boolean draining;

  SimulatedNode(
      String name,
      List<SimulatedNode> roots,
      Timeline timeline,
      SeededRandom random,
      Plan plan,
      SimulatedBroker broker,
      Histories histories,
      GatewayMetrics metrics,
      Trace trace,
      NodeJournal journal,
      BooleanSupplier faulty,
      Announcements announcements) {
    this.name = name;
    this.roots = roots;
    roots.forEach(root -> root.leaves.add(this));
    this.config = isLeaf() ? plan.config.with(BrokerSettings.DURABLE, List.of()) : plan.config;
    this.announcements = announcements;
    this.journal = journal;
    this.faulty = faulty;
    this.store = broker.store(name);
    this.timeline = timeline;
    this.random = random;
    this.plan = plan;
    this.broker = broker;
    this.histories = histories;
    this.metrics = metrics;
    this.trace = trace;
    this.identities = new SeededRandom(name.hashCode());
    this.clock = new NodeClock(timeline, plan.steps, !plan.breaks(Rule.FUTURE_IS_REFUSED));
  }

  /** Starts the node with its journal, if it has one, unless it runs. */
  void start() {
    if (up) {
      return;
    }
    if (timeline.nowMicros() < plan.steps.settledMicros()) {
      timeline.at(plan.steps.settledMicros(), this::start);
      return;
    }
    trace.note(name, () -> "starts");
    up = true;
    draining = false;
    clock.skewMicros = random.between(-plan.skew, plan.skew);
    epochs = 0;
    SimulatedThread control = thread();
    if (plan.tiers != null) {
      linkLoop = thread();
    }
    Journal opened = openJournal();
    hub =
        new Hub(
            HubOptions.of(config),
            HubParts.of(
                    control,
                    allocator,
                    metrics,
                    List.of(
                        new SourceParts(
                            "source",
                            List.of(),
                            listener ->
                                isLeaf()
                                    ? leaf(control, listener)
                                    : plan.stream == null
                                        ? link(control, listener)
                                        : source(control, listener))),
                    opened,
                    0)
                .with(hubClock(), this::nextEpoch, identities::number, sequencer()));
    leave = announcements.join(name, hub, clock::monoMs);
    policy =
        new SessionPolicy(
            SessionOptions.of(plan.config),
            name,
            "sim",
            allocator,
            hub,
            metrics,
            access(plan.config));
    features = SessionFeatures.of(QueueFeatures.of(QueueLimits.of(plan.config), allocator));
    for (int i = 0; i < plan.shards; i++) {
      SimulatedThread loop = thread();
      loops.add(loop);
      shards.add(hub.newShard(loop));
    }
    restore(opened);
    hub.start();
  }

  private Broker link(SimulatedThread control, BrokerListener listener) {
    BrokerLink created =
        new BrokerLink(
            timeline,
            random,
            plan,
            broker,
            control,
            clock,
            histories,
            store,
            this::durable,
            listener);
    link = created;
    return created;
  }

  private Broker leaf(SimulatedThread control, BrokerListener listener) {
    SeededRandom separate = plan.tiers.random;
    SimulatedLinks links =
        new SimulatedLinks(
            timeline, separate, plan.tiers.network, roots, linkLoop, plan.tiers.faults());
    if (!faulty.getAsBoolean()) {
      links.widen();
    }
    link = new LeafLink(timeline, separate, links);
    return links.newSource(config, control, listener, metrics);
  }

  private Broker source(SimulatedThread control, BrokerListener listener) {
    StreamLink created = new StreamLink(timeline, plan, broker, control, listener);
    link = created;
    return created;
  }

  private long nextEpoch() {
    if (!(link instanceof BrokerLink jms)) {
      return random.number();
    }
    return plan.breaks(Rule.RESTART_HAS_ANOTHER_EPOCH)
        ? histories.repeatEpoch(jms, new SeededRandom(name.hashCode() + ++epochs).number())
        : histories.nextEpoch(jms);
  }

  // Each start measures steps anew, as a process does.
  private HubClock hubClock() {
    return plan.breaks(Rule.STEP_ENDS_COMPARISON)
        ? clock
        : new StepDetector(clock, plan.marginMs());
  }

  private static Access access(Config config) {
    try {
      return TestAccess.open(config);
    } catch (UnusableAuth e) {
      throw new AssertionError(e);
    }
  }

  private Journal openJournal() {
    if (journal == null) {
      return null;
    }
    if (faulty.getAsBoolean() && plan.durableRandom.oneIn(plan.durability.corruptionOneIn())) {
      damage();
    }
    return journal.open(clock);
  }

  private void damage() {
    if (plan.durableRandom.oneIn(2)) {
      trace.note(name, () -> "has lost its journal");
      store.forgetMarker(); // its identities are in the journal
      journal.lose();
    } else {
      trace.note(name, () -> "has a damaged journal");
      journal.corrupt();
    }
  }

  private void restore(Journal opened) {
    try {
      hub.restore();
      restored.clear();
      for (String pattern : config.get(BrokerSettings.DURABLE)) {
        restored.put(pattern, history(opened.topic(pattern)));
      }
    } catch (StoreFailure e) {
      throw new IllegalStateException(e);
    }
    if (journal != null) {
      journal.full(false);
      journal.opened();
    }
  }

  private DurableHistory history(TopicJournal kept) throws StoreFailure {
    Recovery.Outcome outcome = kept.recovery().outcome();
    trace.note(name, () -> "has " + kept.recovery() + " of " + kept.topic());
    if (outcome == Recovery.Outcome.RENEWED && !journal.isCorrupted()) {
      throw new IllegalStateException(name + " has lost its undamaged journal");
    }
    boolean fresh = outcome == Recovery.Outcome.CREATED;
    DurableHistory history =
        new DurableHistory(kept.epoch(), fresh, plan.durability.volatileOneIn() == 0);
    int most = plan.config.get(HistorySettings.MESSAGES);
    List<StoredMessage> stored = kept.read(kept.firstOffset(), (int) kept.messages());
    long errorMs = 2 * plan.skew / Plan.MILLI + 1;
    stored.forEach(history::addKnown);
    for (StoredMessage entry : stored.subList(Math.max(0, stored.size() - most), stored.size())) {
      history.restore(entry, clock.toMono(entry.arrivalMs()) - errorMs);
    }
    return history;
  }

  private DurableLink durable(String pattern, DurableListener listener) {
    return new DurableLink(
        pattern,
        restored.get(pattern),
        timeline,
        plan,
        broker,
        store,
        clock,
        thread(),
        listener,
        rounds);
  }

  /** Faults during a round of a durable interest. */
  private final class Rounds implements DurableLink.Host {
    @Override
    public void note(Supplier<String> what) {
      trace.note(name, what);
    }

    @Override
    public boolean strike() {
      return up && faulty.getAsBoolean() && plan.durableRandom.oneIn(plan.durability.crashOneIn());
    }

    // The crash happens before the write or after it, because a commit is atomic.
    @Override
    public void crashIn(Runnable making) {
      if (plan.durableRandom.oneIn(2)) {
        trace.note(name, () -> "is about to crash before a sync");
        journal.image();
        making.run();
      } else {
        trace.note(name, () -> "is about to crash behind a sync");
        journal.imageOfWatermark();
        making.run();
        journal.imageOfTheRest();
      }
      crash();
      timeline.after(plan.durableRandom.mostlySmall(10 * Plan.SECOND), SimulatedNode.this::start);
    }

    @Override
    public void beforeAcknowledge() {
      NodeLink current = link;
      long soon = plan.durableRandom.mostlySmall(2 * Plan.SECOND);
      if (plan.durableRandom.oneIn(2)) {
        timeline.after(soon, current::onBrokerRestart);
      } else {
        timeline.after(soon, () -> crashAndRestart(current));
      }
    }

    @Override
    public void afterLoss() {
      if (faulty.getAsBoolean() && plan.durableRandom.oneIn(CRASH_AFTER_LOSS_ONE_IN)) {
        NodeLink current = link;
        timeline.after(
            plan.durableRandom.mostlySmall(2 * Plan.SECOND), () -> crashAndRestart(current));
      }
    }

    private void crashAndRestart(NodeLink current) {
      if (up && link == current) {
        crash();
        timeline.after(plan.durableRandom.mostlySmall(10 * Plan.SECOND), SimulatedNode.this::start);
      }
    }
  }

  // Without overload, messages enter the log on arrival, as in the histories.
  private Executor sequencer() {
    if (plan.overload.isNone()) {
      return Runnable::run;
    }
    SimulatedThread thread = new SimulatedThread(timeline, random, plan.overload.sequencerLag());
    threads.add(thread);
    return thread;
  }

  private SimulatedThread thread() {
    SimulatedThread thread = new SimulatedThread(timeline, random, plan.loopLag);
    threads.add(thread);
    return thread;
  }

  /** Terminates the process immediately. */
  void crash() {
    if (!up) {
      return;
    }
    trace.note(name, () -> "crashes");
    end();
    if (journal != null) {
      journal.crash();
    }
  }

  private void end() {
    up = false;
    leave.run();
    link.stop();
    leaves.forEach(leaf -> leaf.onEnded(this));
    threads.forEach(SimulatedThread::terminate);
    threads.clear();
    loops.clear();
    shards.clear();
    connections.forEach(
        connection -> connection.cut(random.mostlySmall(2 * Plan.SECOND), Plan.SECOND));
    connections.clear();
  }

  /** Notifies the clients, closes their connections and stops. */
  void drain() {
    if (!up || draining) {
      return;
    }
    trace.note(name, () -> "drains");
    draining = true;
    long wait = random.between(0, 3 * Plan.SECOND);
    long deadlineMs = clock.wallMs() + wait / Plan.MILLI;
    connections.forEach(connection -> connection.drain(deadlineMs));
    Hub drained = hub;
    timeline.after(
        wait,
        () -> {
          if (hub == drained) {
            connections.forEach(
                connection -> connection.execute(() -> connection.close(CloseCode.DRAINING)));
            timeline.after(2 * Plan.SECOND, () -> end(drained));
          }
        });
  }

  // A process that stops closes its journal in order, unless it is killed.
  private void end(Hub drained) {
    if (hub != drained || !up) {
      return;
    }
    if (journal == null || plan.durableRandom.oneIn(2)) {
      crash();
    } else {
      trace.note(name, () -> "stops");
      end();
      journal.close();
    }
  }

  /** Makes the disk full or not full. */
  void fullDisk(boolean full) {
    if (up && journal != null) {
      trace.note(name, () -> full ? "has a full disk" : "has room again");
      journal.full(full);
    }
  }

  /** Deletes the files of the journal. */
  void close() {
    if (journal != null) {
      journal.end(up);
    }
  }

  private void onEnded(SimulatedNode root) {
    if (up) {
      ((LeafLink) link).onEnded(root);
    }
  }

  /** Removes the limits of a leaf's link. */
  void widenLinks() {
    if (up && isLeaf()) {
      ((LeafLink) link).widen();
    }
  }

  boolean isLeaf() {
    return !roots.isEmpty();
  }

  /** Returns whether it is a leaf whose positions are those of one log of a root. */
  boolean isExact() {
    return isLeaf() && plan.stream == null;
  }

  /** Returns the place from which a leaf has the log of an interest, or null. */
  StreamPlace base(InterestKey key) {
    return ((LeafLink) link).base(key);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Hub hub() {
    return hub;
  }

  @Override
  public SimulatedThread linkLoop() {
    return linkLoop;
  }

  @Override
  public LinkOptions linkOptions() {
    return SimulatedLinks.options(config);
  }

  boolean acceptsClients() {
    return up && !draining;
  }

  @Override
  public boolean isUp() {
    return up;
  }

  NodeLink link() {
    return link;
  }

  /** Accepts a client on one of the event loops. */
  SimulatedConnection accept(SimulatedClient client, Encoding encoding, CompressionWindow window) {
    connections.removeIf(SimulatedConnection::isDisconnected);
    int loop = random.below(loops.size());
    SimulatedConnection connection =
        new SimulatedConnection(
            timeline, random, plan.network(), loops.get(loop), client, Lease.unlimited());
    HubShard shard = shards.get(loop);
    if (plan.breaks(Rule.HELD_IS_NOT_CAUGHT_UP)) {
      connection.caughtUpMs(() -> shard.wallMs(shard.provenMs()));
    }
    connection.open(new Session(connection, shard, policy, features, encoding, window, null));
    connections.add(connection);
    return connection;
  }
}
