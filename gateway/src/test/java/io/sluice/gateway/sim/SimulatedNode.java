package io.sluice.gateway.sim;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.hub.HubShard;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionPolicy;
import java.util.ArrayList;
import java.util.List;

/** A node: the real hub and sessions on simulated threads. It can die and be started again. */
final class SimulatedNode {
  final String name;
  final NodeClock clock;

  private final Timeline timeline;
  private final Chance chance;
  private final Plan plan;
  private final SimulatedBroker broker;
  private final Histories histories;
  private final GatewayMetrics metrics;
  private final Trace trace;
  private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  private final List<SimulatedThread> threads = new ArrayList<>();
  private final List<SimulatedThread> loops = new ArrayList<>();
  private final List<HubShard> shards = new ArrayList<>();
  private final List<SimulatedConnection> connections = new ArrayList<>();
  private Hub hub;
  private SessionPolicy policy;
  private BrokerLink link;
  private boolean up;
  private boolean draining;

  SimulatedNode(
      String name,
      Timeline timeline,
      Chance chance,
      Plan plan,
      SimulatedBroker broker,
      Histories histories,
      GatewayMetrics metrics,
      Trace trace) {
    this.name = name;
    this.timeline = timeline;
    this.chance = chance;
    this.plan = plan;
    this.broker = broker;
    this.histories = histories;
    this.metrics = metrics;
    this.trace = trace;
    this.clock = new NodeClock(timeline);
  }

  /** Starts with an empty memory, unless it runs. */
  void start() {
    if (up) {
      return;
    }
    trace.note(name, () -> "starts");
    up = true;
    draining = false;
    clock.skewMicros = chance.between(-plan.skew, plan.skew);
    SimulatedThread control = thread();
    hub =
        new Hub(
            plan.config,
            control,
            allocator,
            metrics,
            listener ->
                link =
                    new BrokerLink(
                        timeline, chance, plan, broker, control, clock, histories, listener),
            null,
            clock,
            () -> histories.nextEpoch(link));
    policy = new SessionPolicy(plan.config, name, "sim", allocator, hub, metrics);
    for (int i = 0; i < plan.shards; i++) {
      SimulatedThread loop = thread();
      loops.add(loop);
      shards.add(hub.newShard(loop));
    }
    hub.start();
  }

  private SimulatedThread thread() {
    SimulatedThread thread = new SimulatedThread(timeline, chance, plan.loopLag);
    threads.add(thread);
    return thread;
  }

  /** Its process ends at once. */
  void crash() {
    if (!up) {
      return;
    }
    trace.note(name, () -> "crashes");
    up = false;
    link.stop();
    threads.forEach(SimulatedThread::die);
    threads.clear();
    loops.clear();
    shards.clear();
    connections.forEach(
        connection -> connection.cut(chance.mostlySmall(2 * Plan.SECOND), Plan.SECOND));
    connections.clear();
  }

  /** Warns its clients, closes them, ends. */
  void drain() {
    if (!up || draining) {
      return;
    }
    trace.note(name, () -> "drains");
    draining = true;
    long wait = chance.between(0, 3 * Plan.SECOND);
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

  private void end(Hub drained) {
    if (hub == drained) {
      crash();
    }
  }

  boolean takesClients() {
    return up && !draining;
  }

  boolean isUp() {
    return up;
  }

  BrokerLink link() {
    return link;
  }

  /** Takes a client in, on one of its event loops. */
  SimulatedConnection accept(SimulatedClient client, Encoding encoding) {
    connections.removeIf(SimulatedConnection::isDead);
    int loop = chance.below(loops.size());
    SimulatedConnection connection =
        new SimulatedConnection(timeline, chance, plan, loops.get(loop), client);
    connection.open(new Session(connection, shards.get(loop), policy, encoding));
    connections.add(connection);
    return connection;
  }
}
