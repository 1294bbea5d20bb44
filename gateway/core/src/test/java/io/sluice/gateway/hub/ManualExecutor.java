package io.sluice.gateway.hub;

import io.sluice.gateway.shard.ShardLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Executor that runs tasks only when the test requests it, on the test's thread. Its timers never
 * fire by themselves.
 */
public final class ManualExecutor extends ScheduledThreadPoolExecutor implements ShardLoop {
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final List<ScheduledFuture<?>> timers = new ArrayList<>();

  /** Creates an executor without tasks. */
  public ManualExecutor() {
    super(0);
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public void executeAfterIo(Runnable task) {
    execute(task);
  }

  @Override
  public void executeLater(Runnable task, long delayMs) {
    schedule(task, delayMs, TimeUnit.MILLISECONDS);
  }

  @Override
  public void endBatch() {
    // Nothing is left to the end of a batch.
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    Callable<Void> call =
        () -> {
          task.run();
          return null;
        };
    ScheduledFuture<Void> timer = new Timer(call);
    timers.add(timer);
    return timer;
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    Runnable repeated =
        () -> {
          task.run();
          scheduleWithFixedDelay(task, delay, delay, unit);
        };
    return schedule(repeated, initialDelay, unit);
  }

  /** Runs one task; false if there was none. */
  public boolean runOne() {
    Runnable task = tasks.poll();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  /** Runs all tasks; false if there was none. */
  public boolean runAll() {
    boolean any = false;
    while (runOne()) {
      any = true;
    }
    return any;
  }

  /** Time passes: every timer that was not cancelled fires. */
  public void fireTimers() {
    List<ScheduledFuture<?>> due = new ArrayList<>(timers);
    timers.clear();
    due.forEach(timer -> ((Timer) timer).run());
  }

  public int waiting() {
    return tasks.size();
  }

  private static final class Timer extends FutureTask<Void> implements ScheduledFuture<Void> {
    Timer(Callable<Void> call) {
      super(call);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return 0;
    }

    @Override
    public int compareTo(java.util.concurrent.Delayed other) {
      return 0;
    }
  }
}
