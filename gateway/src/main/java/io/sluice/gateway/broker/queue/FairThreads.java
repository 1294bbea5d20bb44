package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.FairQueue;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;

/**
 * Threads of one connection for one kind of calls that wait for the broker. Users take turns, and
 * one user never occupies all threads; only the node itself, with an empty key, may. Any thread.
 */
final class FairThreads {
  /** Of the threads, the part that one user leaves to others. */
  private static final int RESERVED = 4;

  private final ExecutorService threads;
  private final int share;

  // Guarded by this.
  private final FairQueue<Task> waiting = new FairQueue<>();
  private final Map<String, Integer> running = new HashMap<>();

  private record Task(String user, Runnable work) {}

  /** Creates an instance whose threads end when they are idle. */
  FairThreads(BrokerThreads source, int threads, String name) {
    this.threads = source.pool(threads, name);
    this.share = threads - Math.max(1, threads / RESERVED);
  }

  /** Runs a task of a user in its turn. A task of a stopped instance never runs. */
  void call(String user, Runnable work) {
    synchronized (this) {
      waiting.add(user, new Task(user, work));
    }
    start();
  }

  private void start() {
    try {
      threads.execute(this::run);
    } catch (RejectedExecutionException e) {
      // The connection is lost, and its users are notified.
    }
  }

  // A thread that ends a user's task takes what waited for it, even after a bug.
  private void run() {
    Task next = take();
    if (next == null) {
      return;
    }
    try {
      next.work.run();
    } finally {
      if (end(next.user)) {
        start();
      }
    }
  }

  private synchronized Task take() {
    Task next = waiting.poll(user -> user.isEmpty() || running.getOrDefault(user, 0) < share);
    if (next != null) {
      running.merge(next.user, 1, Integer::sum);
    }
    return next;
  }

  /** A task has ended. Returns whether others wait. */
  private synchronized boolean end(String user) {
    running.compute(user, (key, count) -> count == 1 ? null : count - 1);
    return !waiting.isEmpty();
  }

  /** Ends the threads and interrupts their tasks. */
  void stop() {
    threads.shutdownNow();
  }
}
