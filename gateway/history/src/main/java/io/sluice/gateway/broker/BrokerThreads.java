package io.sluice.gateway.broker;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Source of the threads and clocks of the connections for queues and replies. Simulations replace
 * it by virtual time. Any thread.
 */
public interface BrokerThreads {
  /** Daemon threads and the clocks of the system. */
  BrokerThreads SYSTEM = new SystemThreads();

  /** Returns the monotonic time in nanoseconds. */
  long nowNs();

  /** Returns the wall-clock time in milliseconds since 1970. */
  long wallMs();

  /** Creates an executor with a maximum number of threads, which end when they are idle. */
  ExecutorService pool(int threads, String name);

  /** Creates an executor with one thread. */
  ScheduledExecutorService timer(String name);

  /**
   * Runs a task on a new thread.
   *
   * @throws OutOfMemoryError if no thread can be started
   */
  void start(Runnable task, String name);
}
