package io.sluice.gateway.broker.queue;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executor that runs tasks one at a time, in order, on the threads of another one. Any thread. */
final class SerialExecutor implements Executor {
  private static final Logger log = LoggerFactory.getLogger(SerialExecutor.class);

  /** Maximum number of tasks that run before other executors get the thread. */
  private static final int BATCH = 64;

  private final Executor threads;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();

  SerialExecutor(Executor threads) {
    this.threads = threads;
  }

  /** Returns the number of tasks that have not ended. */
  int size() {
    return size.get();
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    if (size.getAndIncrement() == 0) {
      schedule();
    }
  }

  private void schedule() {
    try {
      threads.execute(this::drain);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  private void drain() {
    int done = 0;
    while (done < BATCH) {
      Runnable task = tasks.poll();
      if (task == null) {
        break; // being added
      }
      run(task);
      done++;
    }
    if (size.addAndGet(-done) > 0) {
      schedule();
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) { // further tasks have to run nevertheless
      log.atError().setCause(e).log("queue.fault");
    }
  }
}
