package io.sluice.client.internal;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Thread pools of a client. Their threads do not keep the process alive. */
public final class Threads {
  private static final int KEEP_ALIVE_S = 5;

  private Threads() {}

  /** Returns a pool with one thread for each running task; its callers limit the tasks. */
  public static ExecutorService cached(String name) {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        KEEP_ALIVE_S,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        task -> daemon(task, name));
  }

  /** Returns a pool with at most {@code max} threads. Further tasks wait in their order. */
  public static ExecutorService bounded(String name, int max) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            max,
            max,
            KEEP_ALIVE_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> daemon(task, name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Returns a timer, which drops its tasks when it is shut down. */
  public static ScheduledThreadPoolExecutor timer(String name) {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, task -> daemon(task, name));
    timer.setRemoveOnCancelPolicy(true);
    timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return timer;
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
