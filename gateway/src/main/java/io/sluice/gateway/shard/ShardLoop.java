package io.sluice.gateway.shard;

/** The event loop of a shard, as far as the hub needs one. */
public interface ShardLoop {
  /** Runs a task on the loop. Any thread. */
  void execute(Runnable task);

  /**
   * Runs a task after the loop has looked at its sockets once more, so that a shard that is behind
   * keeps no client's frames waiting. On the loop.
   */
  void executeAfterIo(Runnable task);

  /** Runs a task on the loop, some time from now. On the loop. */
  void executeLater(Runnable task, long delayMs);

  /** Sends what the flushes of this batch have left to its end. On the loop. */
  void endBatch();
}
