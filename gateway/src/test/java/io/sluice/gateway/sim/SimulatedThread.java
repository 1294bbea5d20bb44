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

/** A thread of a simulated node: does its tasks in their order, each a little later than asked. */
final class SimulatedThread extends AbstractExecutorService
    implements ScheduledExecutorService, ShardLoop {
  private final Timeline timeline;
  private final Chance chance;
  private final long mostLagMicros;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean awake;
  private boolean dead;

  SimulatedThread(Timeline timeline, Chance chance, long mostLagMicros) {
    this.timeline = timeline;
    this.chance = chance;
    this.mostLagMicros = mostLagMicros;
  }

  /** Its process ends. */
  void die() {
    dead = true;
    tasks.clear();
  }

  @Override
  public void execute(Runnable task) {
    if (dead) {
      return;
    }
    tasks.add(task);
    if (!awake) {
      awake = true;
      timeline.after(chance.mostlySmall(mostLagMicros), this::turn);
    }
  }

  private void turn() {
    Runnable task = tasks.poll();
    if (task == null) {
      awake = false;
      return;
    }
    task.run();
    timeline.after(chance.between(1, 20), this::turn);
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
    // Nothing is left to the end of a batch.
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
    return dead ? new Timer(again) : schedule(again, initialDelay, unit);
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
    die();
  }

  @Override
  public List<Runnable> shutdownNow() {
    die();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return dead;
  }

  @Override
  public boolean isTerminated() {
    return dead;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return dead;
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
