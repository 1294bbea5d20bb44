package io.sluice.gateway.sim;

import io.sluice.gateway.shard.ShardLoop;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Thread of a simulated node. Tasks run in their order, each after a random delay. */
public final class SimulatedThread extends AbstractExecutorService
    implements ScheduledExecutorService, ShardLoop {
  private final Timeline timeline;
  private final SeededRandom random;
  private final long maxLagMicros;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean awake;
  private boolean terminated;

  public SimulatedThread(Timeline timeline, SeededRandom random, long maxLagMicros) {
    this.timeline = timeline;
    this.random = random;
    this.maxLagMicros = maxLagMicros;
  }

  /** Terminates the thread with its process. */
  public void terminate() {
    terminated = true;
    tasks.clear();
  }

  @Override
  public void execute(Runnable task) {
    if (terminated) {
      return;
    }
    tasks.add(task);
    if (!awake) {
      awake = true;
      timeline.after(random.mostlySmall(maxLagMicros), this::turn);
    }
  }

  private void turn() {
    Runnable task = tasks.poll();
    if (task == null) {
      awake = false;
      return;
    }
    task.run();
    timeline.after(random.between(1, 20), this::turn);
  }

  @Override
  public void executeAfterIo(Runnable task) {
    execute(task);
  }

  @Override
  public void executeLater(Runnable task, long delayMs) {
    timeline.after(TimeUnit.MILLISECONDS.toMicros(delayMs), () -> execute(task));
  }

  @Override
  public void endBatch() {
    // no deferred work
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    Timer timer = new Timer(task);
    timeline.after(unit.toMicros(delay), () -> execute(timer));
    return timer;
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    Runnable again =
        () -> {
          task.run();
          scheduleWithFixedDelay(task, delay, delay, unit);
        };
    return terminated ? new Timer(again) : schedule(again, initialDelay, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    return scheduleWithFixedDelay(task, initialDelay, period, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void shutdown() {
    terminate();
  }

  @Override
  public List<Runnable> shutdownNow() {
    terminate();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return terminated;
  }

  @Override
  public boolean isTerminated() {
    return terminated;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return terminated;
  }

  private static final class Timer extends FutureTask<Void> implements ScheduledFuture<Void> {
    Timer(Runnable task) {
      super(task, null);
    }

    @Override
    public void run() {
      super.run();
      try {
        if (!isCancelled()) {
          get();
        }
      } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
        throw new AssertionError("a timer of the node failed", e);
      }
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return 0;
    }

    @Override
    public int compareTo(Delayed other) {
      return 0;
    }
  }
}
