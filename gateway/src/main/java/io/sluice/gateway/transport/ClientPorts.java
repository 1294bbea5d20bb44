package io.sluice.gateway.transport;

import io.netty.channel.EventLoop;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.session.SessionQuery;
import io.sluice.gateway.session.SessionSummary;
import io.sluice.gateway.session.SharedBudget;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The port on which clients connect, spread over all event loops. For any thread. */
public final class ClientPorts {
  private static final long SWEEP_MS = 1000;

  private final Vertx vertx;
  private final int maxConnections;
  private final AtomicInteger connections = new AtomicInteger();
  private final AddressShares addresses;
  private final SharedBudget handshakes;
  private final GatewayMetrics metrics;
  private final List<LoopConnections> loops = new CopyOnWriteArrayList<>();
  private volatile int port;
  private volatile String transport;
  private volatile boolean draining;

  /** Creates the port of a node, closed. */
  public ClientPorts(Vertx vertx, Config config, GatewayMetrics metrics) {
    this.vertx = vertx;
    this.metrics = metrics;
    this.addresses = new AddressShares(config, metrics);
    this.handshakes = SharedBudget.of(config.get(Settings.LIMIT_HANDSHAKE_RATE), System.nanoTime());
    this.maxConnections = config.get(Settings.LIMIT_CONNECTIONS);
  }

  /**
   * Opens the port, once on each event loop; fails if it cannot be bound.
   *
   * @param tls null for plain text
   */
  public Future<?> open(
      Config config, Tls tls, int eventLoops, Hub hub, SessionPolicy policy, Pages pages) {
    vertx.setPeriodic(SWEEP_MS, timer -> sweep(policy));
    return vertx.deployVerticle(
        () -> new ClientPort(config, tls, this, hub, policy, metrics, pages),
        new DeploymentOptions().setInstances(eventLoops));
  }

  private void sweep(SessionPolicy policy) {
    try {
      vertx.executeBlocking(
          () -> {
            addresses.sweep();
            policy.principals().sweep();
            policy.topics().sweep();
            return null;
          });
    } catch (RejectedExecutionException stopping) {
      // The node ends its worker threads before its event loops.
    }
  }

  /** The port that was bound. */
  public int port() {
    return port;
  }

  /** How messages leave: io-uring, epoll, or through channels. */
  public String transport() {
    return transport;
  }

  /** How many WebSockets there are. */
  public int connections() {
    return connections.get();
  }

  /**
   * From now on the node takes no clients, and sends away those that it has.
   *
   * @param places where the next client should go, or null for its own addresses; any thread
   * @return how it goes; to be ticked, or nobody is told anything before the last tenth of the time
   */
  public Drain drain(long drainMs, MovePace pace, Supplier<String> places) {
    draining = true;
    Drain drain = new Drain(drainMs, pace, places, loops.size(), metrics);
    loops.forEach(loop -> loop.drain(drain));
    return drain;
  }

  /** What each address has of the node. */
  AddressShares addresses() {
    return addresses;
  }

  /** Counts a handshake of the node; false if it is one too many for now. */
  boolean takeHandshake() {
    boolean taken = handshakes == null || handshakes.take(1, System.nanoTime());
    if (!taken) {
      onLimit(Settings.LIMIT_HANDSHAKE_RATE.key());
    }
    return taken;
  }

  /**
   * Ends the sessions whose credentials were withdrawn.
   *
   * @return how many, once all event loops have been asked
   */
  public CompletionStage<Integer> revoke(Predicate<Peer> revoked) {
    CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
    for (LoopConnections loop : loops) {
      CompletableFuture<Integer> closed = new CompletableFuture<>();
      loop.revoke(revoked, closed::complete);
      all = all.thenCombine(closed, Integer::sum);
    }
    return all;
  }

  /** The first sessions that an operator asks for, in the order in which they began. */
  public CompletionStage<List<SessionSummary>> sessions(SessionQuery query) {
    CompletableFuture<SessionPage> all =
        CompletableFuture.completedFuture(new SessionPage(query.limit()));
    for (LoopConnections loop : loops) {
      CompletableFuture<List<SessionSummary>> found = new CompletableFuture<>();
      loop.list(query, found::complete);
      all = all.thenCombine(found, SessionPage::addAll);
    }
    return all.thenApply(SessionPage::sessions);
  }

  boolean isDraining() {
    return draining;
  }

  /** Whether {@link #takeHandshake} would be true, as things are. */
  boolean hasHandshake() {
    return handshakes == null || handshakes.has(1, System.nanoTime());
  }

  /** Somebody was denied something because of the limit with this key. */
  void onLimit(String key) {
    metrics.limitReached(key);
  }

  /** Whether {@link #takePlace} would be false, as things are. */
  boolean isFull() {
    return connections.get() >= maxConnections;
  }

  /** Takes one of the node's places for connections; its loop gives it back. */
  boolean takePlace() {
    if (connections.incrementAndGet() <= maxConnections) {
      return true;
    }
    givePlaceBack();
    onLimit(Settings.LIMIT_CONNECTIONS.key());
    return false;
  }

  /** Gives a place back that no loop has taken over. */
  void givePlaceBack() {
    connections.decrementAndGet();
  }

  /**
   * @param gate null without TLS
   */
  synchronized LoopConnections newLoop(EventLoop loop, Config config, TlsGate gate) {
    TransportLimits limits = TransportLimits.of(config);
    LoopConnections added =
        new LoopConnections(
            loop,
            loops.size(),
            limits,
            metrics,
            connections,
            addresses,
            new PendingHandshakes(metrics, limits, proxies(config), gate));
    loops.add(added);
    return added;
  }

  private static List<AddressRange> proxies(Config config) {
    return config.get(Settings.SERVER_PROXY_PROTOCOL)
        ? AddressRange.listOf(config, Settings.SERVER_TRUSTED_PROXIES)
        : null;
  }

  /** The connections of a loop on which the port is open. */
  LoopConnections connectionsOf(EventLoop loop) {
    for (LoopConnections candidate : loops) {
      if (candidate.isOf(loop)) {
        return candidate;
      }
    }
    throw new IllegalStateException("a connection on a loop that has no port");
  }

  void onListening(int bound, String how) {
    port = bound;
    transport = how;
  }
}
