package io.sluice.gateway.membership;

import io.sluice.cluster.Balance;
import io.sluice.cluster.BalanceRules;
import io.sluice.cluster.Cluster;
import io.sluice.cluster.ClusterConfig;
import io.sluice.cluster.ClusterStartFailure;
import io.sluice.cluster.JGroupsCluster;
import io.sluice.cluster.Node;
import io.sluice.cluster.NodeState;
import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.gateway.drain.DrainPacer;
import io.sluice.gateway.drain.RedirectTarget;
import io.sluice.gateway.http.ClientPorts;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's part in its cluster: it joins with the topics that are in use there, says how it is,
 * and leaves. Whatever goes wrong with the cluster, the node serves its clients. Any thread may
 * call it; what takes time is done by a thread of its own.
 */
public final class Member implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Member.class);

  private static final long TICK_MS = 1_000;
  private static final long RETRY_MS = 5_000;
  private static final long BROKER_TICK_MS = 250;
  private static final long TOPICS_TICK_MS = 200;

  private final MemberConfig config;
  private final MemberOptions options;
  private final Hub hub;
  private final ClientPorts clients;
  private final ClusterMembership membership;
  private final Places places;
  private final Rebalance rebalance;
  private final BrokerLoss brokerLoss;
  private final WarmTopics warmTopics;
  private final PeerFiles files;
  private final ScheduledExecutorService thread;

  /** Where the cluster is started, which takes seconds on a busy machine, and files are read. */
  private final ScheduledExecutorService joining;

  private final long startedNs = System.nanoTime();
  private volatile boolean leaving;

  /** Whether it has met no node yet that serves; the member's thread only. */
  private boolean foundNobody;

  /** Creates the part of a node that has not started yet. */
  public Member(MemberConfig config, Hub hub, ClientPorts clients, GatewayMetrics metrics) {
    this.config = config;
    this.options = config.options();
    this.hub = hub;
    this.clients = clients;
    LoadMeter loads = new LoadMeter(clients::connections, this::movable, metrics);
    this.membership =
        new ClusterMembership(config.self(), loads, hub::isLive, hub::losses, options.settle());
    BalanceRules rules = new BalanceRules(options.tolerance(), 0);
    this.places = new Places(membership, new Balance(rules));
    this.rebalance = new Rebalance(clients, places, options.tolerance(), options.shedPerMinute());
    this.thread = newThread("sluice-member");
    this.joining = newThread("sluice-join");
    PeerIdentity identity = config.cluster() == null ? null : config.cluster().identity();
    this.files = new PeerFiles(options.identity(), identity);
    this.brokerLoss =
        new BrokerLoss(connected(), places, hub::isLive, hub::losses, () -> leaving, options);
    this.warmTopics = new WarmTopics(hub, options, Member::nowMs);
    metrics.cluster().source(() -> membership.figures(files, warmTopics.figures()));
  }

  private static ScheduledExecutorService newThread(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Whoever stops, stops with all clients, also those that follow no redirects. */
  private int movable() {
    return leaving ? clients.unnotified() : clients.movable();
  }

  /** Begins to join; returns at once. To be called once the clients' port is open. */
  public void start() {
    every(options.report().toMillis(), membership::measure);
    if (config.cluster() == null) {
      membership.onReady();
    } else {
      startJoining();
    }
  }

  private void startJoining() {
    clients.balance(() -> entry(options.redirects()), options.rest());
    joining.execute(this::join);
    if (files.areUsed()) {
      long reloadMs = options.identity().reload().toMillis();
      joining.scheduleWithFixedDelay(
          () -> files.renew(membership::renew), reloadMs, reloadMs, TimeUnit.MILLISECONDS);
    }
    long warmMs = config.cluster().topicsTimeout().toMillis();
    thread.schedule(this::onWarmTimeout, warmMs, TimeUnit.MILLISECONDS);
    every(BROKER_TICK_MS, () -> brokerLoss.onTick(BROKER_TICK_MS));
    if (options.keepWarm() && config.cluster().topics() > 0) {
      every(
          TOPICS_TICK_MS,
          () -> warmTopics.onTick(membership.cluster(), TOPICS_TICK_MS, this::submit));
    }
    every(TICK_MS, this::onTick);
    every(TICK_MS, () -> rebalance.onTick(TICK_MS));
    every(config.cluster().report().toMillis(), places::fade);
  }

  private BrokerLoss.Clients connected() {
    return new BrokerLoss.Clients() {
      @Override
      public int movable() {
        return clients.movable();
      }

      @Override
      public void evacuate(int count, long withinMs, Supplier<RedirectTarget> betterPlaces) {
        clients.evacuate(count, withinMs, betterPlaces);
      }
    };
  }

  /** The URL for the client that comes now, or null if it is served here. Any thread. */
  private String entry(boolean redirects) {
    String withBroker = brokerLoss.entry();
    return withBroker == null && redirects ? places.toEnter() : withBroker;
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private void every(long ms, Runnable task) {
    thread.scheduleWithFixedDelay(() -> run(task), ms, ms, TimeUnit.MILLISECONDS);
  }

  /** Whatever goes wrong, it has its turn again. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("cluster.task-failed");
    }
  }

  // The next node that drains waits until this one has told all its clients.
  private void onTick() {
    if (leaving) {
      membership.report();
    }
    membership.announce();
  }

  private void join() {
    try {
      ClusterConfig now = config.cluster().with(files.identity());
      Cluster joined = JGroupsCluster.start(now, config.self(), limit -> topicsInUse(limit));
      membership.enter(joined);
      joined.onChange(() -> submit(() -> onChange(joined)));
      submit(() -> takeOverTopics(joined));
    } catch (ClusterStartFailure | RuntimeException e) {
      if (!joining.isShutdown()) {
        log.atWarn().addKeyValue("again-in-ms", RETRY_MS).setCause(e).log("cluster.not-started");
        membership.onReady();
        joining.schedule(this::join, RETRY_MS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private List<String> topicsInUse(int limit) {
    List<String> topics = hub.topicsInUse();
    return topics.subList(0, Math.min(limit, topics.size()));
  }

  private void takeOverTopics(Cluster joined) {
    int most = config.cluster().topics();
    if (most == 0) {
      membership.onTakenOver(0);
      return;
    }
    joined
        .activeTopics(most)
        .thenComposeAsync(this::warm, thread)
        .whenCompleteAsync(this::onTopics, thread);
  }

  private CompletionStage<Integer> warm(List<String> inUse) {
    List<String> topics = inUse.stream().filter(options.served()).toList();
    foundNobody = inUse.isEmpty() && !hasOthers();
    if (topics.isEmpty()) {
      return CompletableFuture.completedStage(0);
    }
    membership.onTakingOver();
    // They have as long to stand, and then to find their first subscribers.
    return hub.warm(topics, 2 * config.cluster().topicsTimeout().toMillis());
  }

  private void onTopics(Integer standing, Throwable failure) {
    if (failure == null) {
      log.atInfo()
          .addKeyValue("nodes", membership.nodes().size())
          .addKeyValue("topics", standing)
          .addKeyValue("took-ms", sinceStartMs())
          .log("cluster.joined");
    } else {
      foundNobody = true; // as good as: it asks again when others come
      log.atWarn().setCause(failure).log("cluster.not-warm");
    }
    membership.onTakenOver(failure == null ? standing : 0);
  }

  /** Who found nobody may have been apart from the others: late topics are better than none. */
  private void onChange(Cluster joined) {
    if (foundNobody && hasOthers()) {
      foundNobody = false;
      takeOverTopics(joined);
    }
  }

  private boolean hasOthers() {
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

  /** Whether the topics that other nodes have in use stand here, or have had their time. */
  public boolean isReady() {
    return membership.isReady();
  }

  /** Tells the others that the clients of this node leave from now on. */
  public void onDraining() {
    leaving = true;
    membership.onDraining();
  }

  /** How fast clients may be told to leave, once the others know that they do. */
  public DrainPacer pace() {
    int clientsPerSecond = options.drainPerSecond();
    return config.cluster() == null || clientsPerSecond == 0
        ? options.pacer().get()
        : new ClusterDrainPacer(clientsPerSecond, membership);
  }

  /** Where a client that has to leave should go; null for its own addresses. */
  public String placeToLeave() {
    return places.toLeave();
  }

  /**
   * Asks clients to move in one round, so that nodes have equally many; returns at once.
   *
   * @return how many are asked, soon; fails if the node is stopping
   */
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

  /** This node, with its clients as they are now. */
  public Node self() {
    membership.announce();
    return membership.self();
  }

  /** All nodes by name: the others as they have said last, this one as it is now. */
  public List<Node> nodes() {
    Node self = self();
    return membership.nodes().stream()
        .map(node -> node.id().equals(self.id()) ? self : node)
        .toList();
  }

  /** Leaves the cluster, which may take some seconds. */
  @Override
  public void close() {
    joining.shutdownNow();
    thread.shutdownNow();
    membership.close();
  }
}
