package io.sluice.gateway.sim.queue;

import io.sluice.gateway.sim.SeededRandom;
import io.sluice.gateway.sim.Timeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Pool of a node's threads whose tasks wait for the broker. */
final class FiberPool extends AbstractExecutorService {
  private final Timeline timeline;
  private final Fibers fibers;
  private final SeededRandom random;
  private final int threads;
  private final long maxLagMicros;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<Fibers.Fiber> started = new ArrayList<>();
  private int running;
  private boolean shut;
  private boolean terminated;

  FiberPool(Timeline timeline, Fibers fibers, SeededRandom random, int threads, long maxLagMicros) {
    this.timeline = timeline;
    this.fibers = fibers;
    this.random = random;
    this.threads = threads;
    this.maxLagMicros = maxLagMicros;
  }

  /** Terminates all tasks with their process. */
  void terminate() {
    terminated = true;
    shut = true;
    tasks.clear();
    started.forEach(fibers::terminate);
  }

  @Override
  public void execute(Runnable task) {
    if (shut && !terminated) {
      throw new RejectedExecutionException();
    }
    tasks.add(task);
    startNext();
  }

  private void startNext() {
    if (running < threads && !tasks.isEmpty() && !terminated) {
      Runnable next = tasks.remove();
      running++;
      timeline.after(random.mostlySmall(maxLagMicros), () -> start(next));
    }
  }

  private void start(Runnable task) {
    if (!terminated) {
      started.add(
          fibers.start(
              () -> {
                try {
                  task.run();
                } finally {
                  running--;
                  startNext();
                }
              }));
    }
  }

  @Override
  public void shutdown() {
    shut = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shut = true;
    tasks.clear();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return shut;
  }

  @Override
  public boolean isTerminated() {
    return shut && running == 0;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return isTerminated();
  }
}
