package io.sluice.gateway.shard;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Bytes of one topic's messages in the queue of a shard. A topic beyond its window waits in its
 * mailbox: the queue then has a few messages of each topic, which the loop serves in turn. With
 * many hot topics, windows shrink to what the {@link Budget} has left (dynamic threshold), which
 * divides it equally. Any thread may call it.
 */
final class QueueWindow {
  /** Full batches in the window: one for the loop, and one that is added concurrently. */
  private static final int BATCHES = 2;

  /** Full batches of all topics of a queue, each of which may exceed it by one message. */
  static final int BUDGET_BATCHES = 8;

  /** Bytes that a message counts for in addition to its payload. */
  private static final int OVERHEAD_BYTES = 128;

  private final AtomicLong bytes = new AtomicLong();
  private final AtomicReference<Runnable> waiting = new AtomicReference<>();
  private final Budget budget;

  /** Bytes of all windows of one shard. Any thread may call it. */
  static final class Budget {
    private final AtomicLong bytes = new AtomicLong();
    private final long batchBytes;

    Budget(int batchBytes) {
      this.batchBytes = batchBytes;
    }

    private long limit() {
      long left = Math.max(0, BUDGET_BATCHES * batchBytes - bytes.get());
      return Math.min(BATCHES * batchBytes, left);
    }
  }

  QueueWindow(Budget budget) {
    this.budget = budget;
  }

  /** Adds a message with a payload of this size. */
  void added(int payload) {
    int size = payload + OVERHEAD_BYTES;
    bytes.addAndGet(size);
    budget.bytes.addAndGet(size);
  }

  /** Removes a message, and runs the waiting task if half of the window is free. */
  void removed(int payload) {
    int size = payload + OVERHEAD_BYTES;
    budget.bytes.addAndGet(-size);
    long left = bytes.addAndGet(-size);
    if (waiting.get() != null && left <= budget.limit() / 2) {
      run(waiting.getAndSet(null));
    }
  }

  boolean isFull() {
    return bytes.get() > budget.limit();
  }

  /** See {@link TopicUser#whenReady}. */
  boolean whenReady(Runnable task) {
    if (!isFull()) {
      return false;
    }
    run(waiting.getAndSet(task)); // that of a former interest, which checks again
    // The loop may have removed the last message before it could find the task.
    return bytes.get() > budget.limit() / 2 || !waiting.compareAndSet(task, null);
  }

  private static void run(Runnable task) {
    if (task != null) {
      task.run();
    }
  }
}
