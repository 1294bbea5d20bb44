package io.sluice.gateway.limits;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads with a bounded queue, which is served in turn between users (or topics). A user has a
 * share of the threads and of the queue, so blocked tasks delay other users by at most one task.
 * Any thread.
 */
public final class FairExecutor {
  private static final long IDLE_S = 10;

  private final ThreadPoolExecutor threads;
  private final Shares running;
  private final Shares waiting;

  // Guarded by this.
  private final FairQueue<Task> queue = new FairQueue<>();
  private boolean stopped;

  private record Task(String user, Runnable work) {}

  /**
   * @param maxWaiting maximum number of waiting tasks
   */
  public FairExecutor(int threads, int maxWaiting, String threadName) {
    this.running = new Shares(threads);
    this.waiting = new Shares(maxWaiting);
    this.threads =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), // as many tasks as threads
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
    this.threads.allowCoreThreadTimeOut(true);
  }

  /** Queues a task. Returns false if the user's share is exhausted, or the executor stopped. */
  public boolean execute(String user, Runnable work) {
    if (!waiting.take(user, 1)) {
      return false;
    }
    synchronized (this) {
      if (stopped) {
        return false;
      }
      queue.add(user, new Task(user, work));
      startNext();
    }
    return true;
  }

  /** Returns whether tasks wait, which a long one should let run before it continues. */
  public synchronized boolean hasWaiting() {
    return queue.peek() != null;
  }

  private synchronized void startNext() {
    for (Task next = poll(); next != null; next = poll()) {
      Task task = next;
      waiting.release(task.user, 1);
      threads.execute(() -> run(task));
    }
  }

  private Task poll() {
    return stopped ? null : queue.poll(running, any -> true);
  }

  private void run(Task task) {
    try {
      task.work.run();
    } finally {
      running.release(task.user, 1);
      startNext();
    }
  }

  /** Discards waiting tasks, and runs a last one after those that run. Does not wait. */
  public synchronized void stop(Runnable last) {
    if (!stopped) {
      stopped = true;
      queue.removeIf(any -> true, any -> {});
      threads.execute(last);
      threads.shutdown();
    }
  }

  /** Discards waiting tasks and interrupts those that run. */
  public synchronized void stopNow() {
    stopped = true;
    queue.removeIf(any -> true, any -> {});
    threads.shutdownNow();
  }
}
