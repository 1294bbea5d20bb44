package io.sluice.gateway.broker;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Daemon threads and the clocks of the system. Any thread. */
final class SystemThreads implements BrokerThreads {
  private static final long IDLE_THREAD_MS = 10_000;

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  @Override
  public long wallMs() {
    return System.currentTimeMillis();
  }

  @Override
  public ExecutorService pool(int threads, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_THREAD_MS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            work -> daemon(work, name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  @Override
  public ScheduledExecutorService timer(String name) {
    return Executors.newSingleThreadScheduledExecutor(work -> daemon(work, name));
  }

  @Override
  public void start(Runnable task, String name) {
    daemon(task, name).start();
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }
}
