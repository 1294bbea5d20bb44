package io.sluice.gateway.membership;

import io.sluice.cluster.Balance;
import io.sluice.cluster.BalanceRules;
import io.sluice.cluster.Cluster;
import io.sluice.cluster.ClusterConfig;
import io.sluice.cluster.ClusterStartFailure;
import io.sluice.cluster.Exchange;
import io.sluice.cluster.JGroupsCluster;
import io.sluice.cluster.Load;
import io.sluice.cluster.Node;
import io.sluice.cluster.NodeState;
import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.gateway.drain.ClusterMember;
import io.sluice.gateway.drain.DrainPace;
import io.sluice.gateway.http.ClientPorts;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.query.NodeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lifecycle of this node in its cluster: join with the topics in use there, report of state and
 * load, and leave. Failures of the cluster do not affect the node's clients. Any thread may call
 * it; slow tasks run on separate threads.
 */
public final class Member implements ClusterMember {
  private static final Logger log = LoggerFactory.getLogger(Member.class);

  private static final long TICK_MS = 1_000;
  private static final long RETRY_MS = 5_000;
  private static final long BROKER_TICK_MS = 250;
  private static final long TOPICS_TICK_MS = 200;

  private final MemberConfig config;
  private final MemberOptions options;
  private final Hub hub;
  private final ClientPorts clients;
  private final List<Exchange> exchanges;
  private final ClusterMembership membership;
  private final TargetSelector targets;
  private final Rebalance rebalance;
  private final BrokerLoss brokerLoss;
  private final WarmTopics warmTopics;
  private final PeerFiles files;
  private final ScheduledExecutorService thread;

  /** Starts the cluster, which may take seconds, and reads files. */
  private final ScheduledExecutorService joining;

  private final long startedNs = System.nanoTime();
  private volatile boolean leaving;

  /** True while no serving node was found; the member's thread only. */
  private boolean foundNoNode;

  /**
   * Creates the member of a node that has not started yet.
   *
   * @param exchanges exchanges of other modules
   */
  public Member(
      MemberConfig config,
      Hub hub,
      ClientPorts clients,
      List<Exchange> exchanges,
      GatewayMetrics metrics) {
    this.config = config;
    this.options = config.options();
    this.hub = hub;
    this.clients = clients;
    LoadMeter loads = new LoadMeter(clients::connections, this::movable, metrics);
    this.membership =
        new ClusterMembership(config.self(), loads, hub::isLive, hub::losses, options.settle());
    BalanceRules rules = new BalanceRules(options.tolerance(), 0);
    this.targets = new TargetSelector(membership, new Balance(rules));
    this.rebalance =
        new Rebalance(clients, targets, options.tolerance(), options.rebalancedPerMinute());
    this.thread = newThread("sluice-member");
    this.joining = newThread("sluice-join");
    PeerIdentity identity = config.cluster() == null ? null : config.cluster().identity();
    this.files = new PeerFiles(options, identity);
    this.brokerLoss =
        new BrokerLoss(
            clients::movable,
            clients::evacuate,
            targets,
            hub::isLive,
            hub::losses,
            () -> leaving,
            options);
    this.warmTopics = new WarmTopics(hub, options, Member::nowMs);
    LateDeliveryExchange lateDeliveries =
        new LateDeliveryExchange(
            hub.site().mark(), hub.historyMs(), Member::nowMs, hub::lateDeliveries);
    hub.onLateDeliveries(lateDeliveries::announce);
    this.exchanges = new ArrayList<>(exchanges);
    this.exchanges.add(lateDeliveries.exchange());
    new ClusterMeters(
        metrics.meters(),
        membership::nodes,
        () -> membership.cluster().counts(),
        files::expiresMs,
        files::areOutdated,
        () -> warmTopics.figures().warm(),
        () -> warmTopics.figures().leftOut());
  }

  private static ScheduledExecutorService newThread(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  /**
   * Returns the clients that a drain or a redirect still has to move; a drain includes those that
   * follow no redirects.
   */
  private int movable() {
    return leaving ? clients.unnotified() : clients.movable();
  }

  @Override
  public void start() {
    every(options.report().toMillis(), membership::measure);
    if (config.cluster() == null) {
      membership.onReady();
    } else {
      startJoining();
    }
  }

  private void startJoining() {
    clients.balance(() -> redirectForEntry(options.redirects()), options.rest());
    joining.execute(this::join);
    if (files.areUsed()) {
      long reloadMs = options.identityReload().toMillis();
      joining.scheduleWithFixedDelay(
          () -> files.renew(membership.cluster()), reloadMs, reloadMs, TimeUnit.MILLISECONDS);
    }
    long warmMs = config.cluster().topicsTimeout().toMillis();
    thread.schedule(this::onWarmTimeout, warmMs, TimeUnit.MILLISECONDS);
    every(BROKER_TICK_MS, () -> brokerLoss.onTick(BROKER_TICK_MS));
    if (options.keepWarm() && config.cluster().maxTopics() > 0) {
      every(
          TOPICS_TICK_MS,
          () -> warmTopics.onTick(membership.cluster(), TOPICS_TICK_MS, this::submit));
    }
    every(TICK_MS, this::onTick);
    every(TICK_MS, () -> rebalance.onTick(TICK_MS));
    every(config.cluster().reportInterval().toMillis(), targets::decay);
  }

  /**
   * Selects the redirect target of a client that connects now, and counts the redirect. Any thread.
   *
   * @return null to serve the client here
   */
  private String redirectForEntry(boolean redirects) {
    String withBroker = brokerLoss.redirectForEntry();
    return withBroker == null && redirects ? targets.redirectForEntry() : withBroker;
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private void every(long ms, Runnable task) {
    thread.scheduleWithFixedDelay(() -> run(task), ms, ms, TimeUnit.MILLISECONDS);
  }

  /** Runs a task; an exception must not cancel its schedule. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("cluster.task-failed");
    }
  }

  // The next draining node waits until this one has notified all its clients.
  private void onTick() {
    if (leaving) {
      membership.report();
    }
    membership.announce();
  }

  private void join() {
    try {
      ClusterConfig now = config.cluster().with(files.identity());
      Cluster joined = JGroupsCluster.start(now, config.self(), hub::topicsInUse);
      membership.enter(joined);
      joined.onChange(() -> submit(() -> onChange(joined)));
      joined.join(exchanges);
      submit(() -> subscribeTopics(joined));
    } catch (ClusterStartFailure | RuntimeException e) {
      if (!joining.isShutdown()) {
        log.atWarn().addKeyValue("again-in-ms", RETRY_MS).setCause(e).log("cluster.not-started");
        membership.onReady();
        joining.schedule(this::join, RETRY_MS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private void subscribeTopics(Cluster joined) {
    int maxTopics = config.cluster().maxTopics();
    if (maxTopics == 0) {
      membership.onSubscribed(0);
      return;
    }
    joined
        .activeTopics(maxTopics)
        .thenComposeAsync(this::preSubscribe, thread)
        .whenCompleteAsync(this::onTopics, thread);
  }

  private CompletionStage<Integer> preSubscribe(List<String> inUse) {
    List<String> topics = inUse.stream().filter(options.served()).toList();
    foundNoNode = inUse.isEmpty() && !isServedElsewhere();
    if (topics.isEmpty()) {
      return CompletableFuture.completedStage(0);
    }
    membership.onSubscribing();
    // Twice the timeout: once to become active, once to get their first subscribers.
    return hub.preSubscribe(topics, 2 * config.cluster().topicsTimeout().toMillis());
  }

  private void onTopics(Integer active, Throwable failure) {
    if (failure == null) {
      log.atInfo()
          .addKeyValue("nodes", membership.nodes().size())
          .addKeyValue("topics", active)
          .addKeyValue("took-ms", sinceStartMs())
          .log("cluster.joined");
    } else {
      foundNoNode = true; // the request is repeated when other nodes join
      log.atWarn().setCause(failure).log("cluster.not-warm");
    }
    membership.onSubscribed(failure == null ? active : 0);
  }

  /** Requests topics again after a join that found no node: this node may have been partitioned. */
  private void onChange(Cluster joined) {
    if (foundNoNode && isServedElsewhere()) {
      foundNoNode = false;
      subscribeTopics(joined);
    }
  }

  @Override
  public boolean isServedElsewhere() {
    return membership.nodes().stream()
        .anyMatch(node -> node.state() == NodeState.UP && !node.id().equals(config.self().id()));
  }

  private void onWarmTimeout() {
    if (membership.onReady()) {
      log.atWarn().addKeyValue("after-ms", sinceStartMs()).log("cluster.not-warm");
    }
  }

  private long sinceStartMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNs);
  }

  @Override
  public boolean hasBeenReady() {
    return membership.hasBeenReady();
  }

  @Override
  public void onDraining() {
    leaving = true;
    membership.onDraining();
  }

  @Override
  public void onUndrained() {
    leaving = false;
    membership.onUndrained();
  }

  @Override
  public DrainPace drainPace() {
    int perSecond = options.drainPerSecond();
    return config.cluster() == null || perSecond == 0
        ? DrainPace.of(perSecond)
        : DrainPace.shared(perSecond, membership::drainedBefore);
  }

  @Override
  public String redirectForDrain() {
    return targets.redirectForDrain();
  }

  @Override
  public CompletionStage<Integer> rebalance() {
    try {
      return CompletableFuture.supplyAsync(rebalance::startRound, thread)
          .thenCompose(Function.identity());
    } catch (RejectedExecutionException stopping) {
      return CompletableFuture.failedStage(stopping);
    }
  }

  private void submit(Runnable task) {
    try {
      thread.execute(() -> run(task));
    } catch (RejectedExecutionException e) {
      log.atDebug().setCause(e).log("cluster.closed"); // the node is stopping
    }
  }

  @Override
  public NodeStatus self() {
    membership.announce();
    return status(membership.self());
  }

  @Override
  public List<NodeStatus> nodes() {
    NodeStatus self = self();
    return membership.nodes().stream()
        .map(node -> node.id().equals(self.id()) ? self : status(node))
        .toList();
  }

  private static NodeStatus status(Node node) {
    Load load = node.load();
    return new NodeStatus(
        node.id(),
        node.publicUrl(),
        node.adminUrl(),
        node.version(),
        node.state().word(),
        node.sinceMs(),
        new NodeStatus.Load(
            load.connections(), load.movable(), load.messageRate(), load.cpu(), load.loopLagMs()));
  }

  @Override
  public void close() {
    joining.shutdownNow();
    thread.shutdownNow();
    membership.close();
  }
}
