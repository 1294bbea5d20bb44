package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.BrokerThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads of one connection for one kind of requests. There are few of them, and none serves
 * consumers, so that a slow list or browse never delays acknowledgements. Any thread.
 */
final class RequestThreads {
  /** Maximum number of tasks that run or wait. */
  static final int MAX = 256;

  private final ExecutorService threads;
  private final AtomicInteger tasks = new AtomicInteger();

  RequestThreads(BrokerThreads source, int threads, String name) {
    this.threads = source.pool(threads, name);
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
