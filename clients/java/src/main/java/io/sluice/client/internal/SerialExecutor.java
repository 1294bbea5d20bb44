package io.sluice.client.internal;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** Runs tasks one at a time, in their order, on the threads of another executor. */
public final class SerialExecutor implements Executor {
  /** Tasks after which the thread of the executor is given back. */
  private static final int BATCH = 64;

  private final Executor executor;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean isRunning;

  /** Creates an executor on top of another one. */
  public SerialExecutor(Executor executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (tasks) {
      tasks.add(task);
      if (isRunning) {
        return;
      }
      isRunning = true;
    }
    executor.execute(this::drain);
  }

  private void drain() {
    for (int count = 0; count < BATCH; count++) {
      Runnable task = next();
      if (task == null) {
        return;
      }
      run(task);
    }
    executor.execute(this::drain);
  }

  private Runnable next() {
    synchronized (tasks) {
      Runnable task = tasks.poll();
      isRunning = task != null;
      return task;
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) { // the tasks after it must run
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }
}
