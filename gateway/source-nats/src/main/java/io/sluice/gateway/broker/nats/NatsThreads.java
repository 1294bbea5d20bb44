package io.sluice.gateway.broker.nats;

import io.sluice.gateway.limits.FairExecutor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads of a source, for all of its connections. Any thread. Tasks after the stop are ignored.
 */
final class NatsThreads implements ThreadFactory {
  private static final Logger log = LoggerFactory.getLogger(NatsThreads.class);

  /** Maximum number of requests to the server for which threads wait at a time. */
  private static final int WORKERS = 8;

  /**
   * Maximum number of topics that are opened at a time; limits.per-node.topics bounds the others.
   */
  private static final int OPENERS = 8;

  private static final long IDLE_S = 10;

  private final ScheduledExecutorService control;
  private final ExecutorService client = Executors.newCachedThreadPool(this);
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "sluice-nats-timer"));
  private final ThreadPoolExecutor workers =
      new ThreadPoolExecutor(
          WORKERS,
          WORKERS,
          IDLE_S,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          task -> daemon(task, "sluice-nats-request"));

  private final FairExecutor openers =
      new FairExecutor(OPENERS, Integer.MAX_VALUE, "sluice-nats-open");

  NatsThreads(ScheduledExecutorService control) {
    this.control = control;
    workers.allowCoreThreadTimeOut(true);
  }

  /** Creates a thread of the NATS client. */
  @Override
  public Thread newThread(Runnable task) {
    return daemon(task, "sluice-nats-client");
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Returns the threads that read, write, and deliver messages. */
  ExecutorService client() {
    return client;
  }

  /** Returns the thread of timers, whose tasks do not block. */
  ScheduledExecutorService timer() {
    return timer;
  }

  /** Runs a task that waits for the server. */
  void work(Runnable task) {
    execute(workers, task);
  }

  /** Runs a task that opens a topic, and waits for the server. Users take turns. */
  void open(String user, Runnable task) {
    openers.execute(user, () -> guard(task));
  }

  void onControl(Runnable task) {
    execute(control, task);
  }

  private static void execute(ExecutorService executor, Runnable task) {
    try {
      executor.execute(() -> guard(task));
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  /** Runs a task later that does not block. */
  void later(Runnable task, long delayMs) {
    try {
      timer.schedule(() -> guard(task), delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  private static void guard(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      log.atError().setCause(e).log("broker.fault");
    }
  }

  /**
   * Ends the threads.
   *
   * @param last task that runs before, and may block
   */
  void stop(Runnable last) {
    timer.shutdown();
    openers.stopNow();
    work(
        () -> {
          last.run();
          client.shutdown();
        });
    workers.shutdown();
  }
}
