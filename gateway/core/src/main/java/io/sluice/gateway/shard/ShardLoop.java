package io.sluice.gateway.shard;

/**
 * Event loop of a shard. Any thread may call {@link #execute}; other methods are bound to the loop.
 */
public interface ShardLoop {
  /** Runs a task on the loop. Any thread may call it. */
  void execute(Runnable task);

  /**
   * Runs a task after the loop has polled its sockets again, so that a busy shard does not delay
   * incoming frames.
   */
  void executeAfterIo(Runnable task);

  /** Runs a task on the loop after a delay. */
  void executeLater(Runnable task, long delayMs);

  /** Submits the sends that the flushes of this batch deferred to its end. */
  void endBatch();
}
