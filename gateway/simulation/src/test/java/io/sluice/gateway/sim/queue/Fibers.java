package io.sluice.gateway.sim.queue;

import io.sluice.gateway.sim.Timeline;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Tasks that wait for the broker in virtual time. Each has a thread, but exactly one thread runs at
 * a time: a task runs until it waits or ends, then the timeline continues.
 */
final class Fibers implements AutoCloseable {
  private static final ExecutorService THREADS = Executors.newCachedThreadPool(Fibers::daemon);

  private final Timeline timeline;
  private final Semaphore main = new Semaphore(0);
  private final Set<Fiber> waiting = new LinkedHashSet<>();
  private Fiber current;

  Fibers(Timeline timeline) {
    this.timeline = timeline;
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "simulated-call");
    thread.setDaemon(true);
    return thread;
  }

  /** End of a task whose process was terminated. */
  private static final class Terminated extends Error {
    private static final long serialVersionUID = 1;

    Terminated() {
      super("the process is terminated", null, false, false);
    }
  }

  /** One task. */
  static final class Fiber {
    private final Semaphore turn = new Semaphore(0);
    private boolean terminated;

    /** Number of its waits, which identifies the current one. */
    private long waits;
  }

  /** Runs a task until it waits or ends. Called by the timeline's thread only. */
  Fiber start(Runnable task) {
    Fiber started = new Fiber();
    THREADS.execute(
        () -> {
          started.turn.acquireUninterruptibly();
          try {
            task.run();
          } catch (Terminated e) {
            // its process was terminated
          } finally {
            main.release();
          }
        });
    resume(started);
    return started;
  }

  private void resume(Fiber next) {
    current = next;
    next.turn.release();
    main.acquireUninterruptibly();
    current = null;
  }

  /** Waits in virtual time. Called by a task. */
  void sleep(long micros) {
    Fiber self = current;
    if (self.terminated) {
      throw new Terminated();
    }
    long number = ++self.waits;
    waiting.add(self);
    timeline.after(micros, () -> wake(self, number));
    main.release();
    self.turn.acquireUninterruptibly();
    if (self.terminated) {
      throw new Terminated();
    }
  }

  private void wake(Fiber fiber, long number) {
    if (fiber.waits == number && waiting.remove(fiber)) {
      resume(fiber);
    }
  }

  /** Terminates a task where it waits. Called by the timeline's thread only. */
  void terminate(Fiber fiber) {
    fiber.terminated = true;
    if (waiting.remove(fiber)) {
      resume(fiber);
    }
  }

  /** Terminates all tasks. */
  @Override
  public void close() {
    new ArrayList<>(waiting).forEach(this::terminate);
  }
}
