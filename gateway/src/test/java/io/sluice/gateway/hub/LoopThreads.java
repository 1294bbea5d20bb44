package io.sluice.gateway.hub;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Threads that run a task for each event loop at the same time. They spin between the tasks, so
 * that the start is not measured. Used by the benchmark's thread, which runs the first loop.
 */
final class LoopThreads implements AutoCloseable {
  private final AtomicInteger running = new AtomicInteger();
  private final int loops;
  private volatile IntConsumer task;
  private volatile int turn;
  private volatile boolean closed;

  LoopThreads(int loops) {
    this.loops = loops;
    for (int i = 1; i < loops; i++) {
      int loop = i;
      Thread thread = new Thread(() -> serve(loop), "loop-" + loop);
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void serve(int loop) {
    int done = 0;
    while (!closed) {
      if (turn == done) {
        Thread.onSpinWait();
      } else {
        done++;
        runTask(loop);
      }
    }
  }

  private void runTask(int loop) {
    try {
      task.accept(loop);
    } finally {
      running.decrementAndGet();
    }
  }

  /** Runs the task for all loops and waits for its end. */
  void run(IntConsumer perLoop) {
    task = perLoop;
    running.set(loops);
    turn = turn + 1; // only this thread writes it
    runTask(0);
    while (running.get() > 0) {
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
