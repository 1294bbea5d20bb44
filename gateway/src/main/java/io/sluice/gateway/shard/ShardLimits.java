package io.sluice.gateway.shard;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;

/**
 * Limits of one shard.
 *
 * @param queue most messages that wait for the event loop
 * @param queueBytes most payload bytes of these
 * @param pendingBytes most bytes that wait for one client
 * @param snapshotBytes most bytes of the lists by which the loop replays snapshots
 * @param lingerMs how long the event loop collects messages after a batch to many clients
 */
public record ShardLimits(
    int queue, long queueBytes, long pendingBytes, long snapshotBytes, long lingerMs) {
  private static final int MAX_BATCH_BYTES = 64 * 1024;
  private static final int BATCHES_PER_CLIENT = 8;

  /** Reads the limits from the configuration. */
  public static ShardLimits of(Config config) {
    return new ShardLimits(
        config.get(LimitSettings.SHARD_QUEUE),
        config.get(LimitSettings.SHARD_QUEUE_BYTES),
        config.get(LimitSettings.PENDING_BYTES),
        config.get(LimitSettings.SNAPSHOT_BYTES),
        config.get(ServerSettings.BATCH_LINGER).toMillis());
  }

  /** Bytes to hand over at once: a batch must not make a client slow that has room. */
  int batchBytes() {
    return (int) Math.min(MAX_BATCH_BYTES, pendingBytes / BATCHES_PER_CLIENT);
  }
}
