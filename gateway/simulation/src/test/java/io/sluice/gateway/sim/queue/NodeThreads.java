package io.sluice.gateway.sim.queue;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.sim.NodeClock;
import io.sluice.gateway.sim.SimulatedThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/** Threads and clocks of one process of a node. */
final class NodeThreads implements BrokerThreads {
  /** Pools whose tasks wait for the broker. */
  private static final Set<String> CALLS =
      Set.of("sluice-queue-open", "sluice-queue-settle", "sluice-queue-send", "sluice-queue-close");

  private final QueueWorld world;
  private final NodeClock clock;
  private final List<SimulatedThread> threads = new ArrayList<>();
  private final List<FiberPool> pools = new ArrayList<>();
  private final FiberPool single;

  NodeThreads(QueueWorld world, NodeClock clock) {
    this.world = world;
    this.clock = clock;
    this.single = newPool(Integer.MAX_VALUE);
  }

  /** Creates a thread whose tasks never wait. */
  SimulatedThread thread() {
    SimulatedThread added = new SimulatedThread(world.timeline, world.random, world.plan.loopLag);
    threads.add(added);
    return added;
  }

  private FiberPool newPool(int size) {
    FiberPool added =
        new FiberPool(world.timeline, world.fibers, world.random, size, world.plan.loopLag);
    pools.add(added);
    return added;
  }

  /** Terminates all threads with their process. */
  void terminate() {
    threads.forEach(SimulatedThread::terminate);
    pools.forEach(FiberPool::terminate);
  }

  @Override
  public long nowNs() {
    return clock.nanos();
  }

  @Override
  public long wallMs() {
    return clock.wallMs();
  }

  @Override
  public ExecutorService pool(int size, String name) {
    return CALLS.contains(name) ? newPool(size) : thread();
  }

  @Override
  public ScheduledExecutorService timer(String name) {
    return thread();
  }

  @Override
  public void start(Runnable task, String name) {
    single.execute(task);
  }
}
