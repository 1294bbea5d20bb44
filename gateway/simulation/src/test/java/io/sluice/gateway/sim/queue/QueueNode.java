package io.sluice.gateway.sim.queue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.hub.HubOptions;
import io.sluice.gateway.hub.HubParts;
import io.sluice.gateway.hub.SourceParts;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.limits.Quotas;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionFeatures;
import io.sluice.gateway.session.SessionOptions;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.session.queue.QueueFeatures;
import io.sluice.gateway.session.queue.QueueLimits;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.sim.NodeClock;
import io.sluice.gateway.sim.SimulatedConnection;
import io.sluice.gateway.sim.SimulatedThread;
import io.sluice.gateway.websocket.CloseCode;
import java.util.ArrayList;
import java.util.List;

/** A node: the real sessions, queues and requests. It can crash and be started again. */
final class QueueNode implements AutoCloseable {
  private static final String PENDING_REQUESTS = "sluice_requests_pending ";

  final String name;

  private final QueueWorld world;
  private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  private final List<SimulatedConnection> connections = new ArrayList<>();
  private NodeThreads threads;
  private SimulatedProvider provider;
  private Exposition exposition;
  private GatewayMetrics metrics;
  private Quotas quotas;
  private NodeBroker broker;
  private SimulatedThread loop;
  private HubShard shard;
  private SessionPolicy policy;
  private SessionFeature.Table features;
  private boolean up;
  private boolean draining;

  QueueNode(String name, QueueWorld world) {
    this.name = name;
    this.world = world;
  }

  /** Starts the node unless it runs. */
  void start() {
    if (up) {
      return;
    }
    world.trace.note(name, () -> "starts");
    up = true;
    draining = false;
    NodeClock clock = new NodeClock(world.timeline);
    clock.skewMicros = world.random.between(-world.plan.skew, world.plan.skew);
    threads = new NodeThreads(world, clock);
    provider = new SimulatedProvider(world, name);
    exposition = new Exposition("simulation");
    metrics = new GatewayMetrics(exposition, KnownTags.none());
    quotas = new Quotas(QuotaOptions.of(world.plan.config), metrics);
    open(clock);
  }

  private void open(NodeClock clock) {
    Hub hub =
        new Hub(
            HubOptions.of(world.plan.config),
            HubParts.of(
                    threads.thread(),
                    allocator,
                    metrics,
                    List.of(
                        new SourceParts(
                            "jms",
                            List.of(),
                            listener ->
                                broker =
                                    new NodeBroker(world, provider, threads, listener, metrics))),
                    null,
                    0)
                .with(clock, world.random::number, world.random::number, Runnable::run));
    try {
      policy =
          new SessionPolicy(
              SessionOptions.of(world.plan.config),
              name,
              "sim",
              allocator,
              hub,
              metrics,
              TestAccess.open(world.plan.config));
    } catch (UnusableAuth e) {
      throw new AssertionError(e);
    }
    features = SessionFeatures.of(QueueFeatures.of(QueueLimits.of(world.plan.config), allocator));
    loop = threads.thread();
    shard = hub.newShard(loop);
    hub.start();
  }

  boolean isUp() {
    return up;
  }

  boolean acceptsClients() {
    return up && !draining;
  }

  NodeBroker broker() {
    return broker;
  }

  /** Accepts a client. */
  SimulatedConnection accept(SimulatedConnection.Peer client) {
    connections.removeIf(SimulatedConnection::isDisconnected);
    Lease lease = (Lease) quotas.acquire("simulated");
    SimulatedConnection connection =
        new SimulatedConnection(
            world.timeline, world.random, world.plan.network, loop, client, lease);
    connection.open(new Session(connection, shard, policy, features, Encoding.JSON, null));
    connections.add(connection);
    return connection;
  }

  /** Terminates the process immediately. */
  void crash() {
    if (!up) {
      return;
    }
    world.trace.note(name, () -> "crashes");
    up = false;
    threads.terminate();
    provider.terminate();
    connections.forEach(
        connection ->
            connection.cut(world.random.mostlySmall(2 * QueuePlan.SECOND), QueuePlan.SECOND));
    connections.clear();
    close();
  }

  /** Notifies the clients, closes their connections and ends. */
  void drain() {
    if (!acceptsClients()) {
      return;
    }
    world.trace.note(name, () -> "drains");
    draining = true;
    long wait = world.random.between(0, 3 * QueuePlan.SECOND);
    long deadlineMs = NodeClock.EPOCH_MS + (world.timeline.nowMicros() + wait) / QueuePlan.MILLI;
    connections.forEach(connection -> connection.drain(deadlineMs));
    NodeThreads drained = threads;
    world.timeline.after(wait, () -> closeClients(drained));
  }

  private void closeClients(NodeThreads drained) {
    if (drained != threads || !up) {
      return;
    }
    connections.forEach(
        connection -> connection.execute(() -> connection.close(CloseCode.DRAINING)));
    world.timeline.after(
        3 * QueuePlan.SECOND,
        () -> {
          if (drained == threads) {
            crash();
          }
        });
  }

  /** Checks that nothing is left of the clients, which have disconnected. */
  void checkEmpty() {
    if (metrics.queues().consumers() != 0 || metrics.queues().pending() != 0) {
      world.fail(
          name,
          "has %d consumers and %d pending messages without a client"
              .formatted(metrics.queues().consumers(), metrics.queues().pending()));
    }
    if (pendingRequests() != 0) {
      world.fail(name, "has " + pendingRequests() + " pending requests without a client");
    }
    checkQuotas();
  }

  private double pendingRequests() {
    return new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8)
        .lines()
        .filter(line -> line.startsWith(PENDING_REQUESTS))
        .mapToDouble(line -> Double.parseDouble(line.substring(PENDING_REQUESTS.length())))
        .findFirst()
        .orElseThrow();
  }

  private void checkQuotas() {
    int connected = quotas.node().connections();
    if (connected != 0) {
      world.fail(name, "counts " + connected + " connections without a client");
    }
    Lease lease = (Lease) quotas.acquire("simulated");
    for (int i = 0; i < world.plan.config.get(LimitSettings.NODE_CONSUMERS) / 2; i++) {
      if (lease.acquireConsumer() != null) {
        world.fail(name, "counts consumers without a client");
      }
    }
  }

  @Override
  public void close() {
    metrics.close();
    exposition.close();
  }
}
