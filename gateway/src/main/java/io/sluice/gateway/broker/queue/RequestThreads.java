package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.BrokerThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads of one connection for requests that concern subscriptions. There are few of them, and
 * none serves consumers, so that a slow list never delays acknowledgements. Any thread.
 */
final class RequestThreads {
  private static final int THREADS = 4;

  /** Maximum number of tasks that run or wait. */
  static final int MAX = 256;

  private final ExecutorService threads;
  private final AtomicInteger tasks = new AtomicInteger();

  RequestThreads(BrokerThreads source) {
    this.threads = source.pool(THREADS, "sluice-queue-request");
  }

  /** Runs a task that may wait for the broker. Returns false if too many run or wait. */
  boolean call(Runnable task) {
    if (tasks.incrementAndGet() > MAX) {
      tasks.decrementAndGet();
      return false;
    }
    try {
      threads.execute(() -> run(task));
    } catch (RejectedExecutionException e) {
      // The connection is lost, and its users are notified.
    }
    return true;
  }

  private void run(Runnable task) {
    try {
      task.run();
    } finally {
      tasks.decrementAndGet();
    }
  }

  /** Ends the threads. */
  void stop() {
    threads.shutdownNow();
  }
}
