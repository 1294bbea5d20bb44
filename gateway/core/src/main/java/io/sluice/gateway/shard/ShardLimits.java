package io.sluice.gateway.shard;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;

/**
 * Limits of one shard. Immutable and safe for any thread.
 *
 * @param queue maximum number of messages queued for the event loop
 * @param queueBytes maximum payload bytes of these messages
 * @param pendingBytes maximum bytes pending for one client
 * @param snapshotBytes maximum bytes of the lists with which the event loop replays snapshots
 * @param lingerMs time for which the event loop collects messages after a batch to many clients
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

  /** Returns the maximum bytes sent at once, a fraction of the client's buffer limit. */
  int batchBytes() {
    return (int) Math.min(MAX_BATCH_BYTES, pendingBytes / BATCHES_PER_CLIENT);
  }
}
