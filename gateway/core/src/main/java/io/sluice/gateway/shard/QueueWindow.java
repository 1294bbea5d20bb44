package io.sluice.gateway.shard;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Bytes of one topic's messages in the queue of a shard. A topic beyond its window waits in its
 * mailbox: the queue then has a few messages of each topic, which the loop serves in turn. Any
 * thread may call it.
 */
final class QueueWindow {
  /** Full batches in the window: one for the loop, and one that is added concurrently. */
  private static final int BATCHES = 2;

  /** Bytes that a message counts for in addition to its payload. */
  private static final int OVERHEAD_BYTES = 128;

  private final AtomicLong bytes = new AtomicLong();
  private final AtomicReference<Runnable> waiting = new AtomicReference<>();
  private final long limit;

  QueueWindow(int batchBytes) {
    this.limit = (long) BATCHES * batchBytes;
  }

  /** Adds a message with a payload of this size. */
  void added(int payload) {
    bytes.addAndGet(payload + OVERHEAD_BYTES);
  }

  /** Removes a message, and runs the waiting task if half of the window is free. */
  void removed(int payload) {
    if (bytes.addAndGet(-payload - OVERHEAD_BYTES) <= limit / 2 && waiting.get() != null) {
      run(waiting.getAndSet(null));
    }
  }

  boolean isFull() {
    return bytes.get() > limit;
  }

  /** See {@link TopicUser#whenReady}. */
  boolean whenReady(Runnable task) {
    if (!isFull()) {
      return false;
    }
    run(waiting.getAndSet(task)); // that of a former interest, which checks again
    // The loop may have removed the last message before it could find the task.
    return bytes.get() > limit / 2 || !waiting.compareAndSet(task, null);
  }

  private static void run(Runnable task) {
    if (task != null) {
      task.run();
    }
  }
}
