package io.sluice.gateway.hub;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;

/**
 * The limits of a hub, read once from the configuration.
 *
 * @param topics most topics and patterns
 * @param queue most messages that wait for one event loop
 * @param queueBytes most payload bytes of these
 * @param pendingBytes most bytes that wait for one client
 * @param snapshotBytes most bytes of the lists by which one loop replays snapshots
 * @param ingressQueue most messages of one topic that wait to be encoded
 * @param ingressQueueBytes most bytes of these
 * @param ingressMemory most bytes of all topics that wait to be encoded
 * @param lingerMs how long an event loop collects messages after a batch to many clients
 */
record HubLimits(
    int topics,
    int queue,
    long queueBytes,
    long pendingBytes,
    long snapshotBytes,
    int ingressQueue,
    long ingressQueueBytes,
    long ingressMemory,
    long lingerMs) {
  private static final int MOST_RUN_BYTES = 64 * 1024;
  private static final int RUNS_A_CLIENT = 8;

  static HubLimits of(Config config) {
    return new HubLimits(
        config.get(Settings.LIMIT_TOPICS),
        config.get(Settings.LIMIT_SHARD_QUEUE),
        config.get(Settings.LIMIT_SHARD_QUEUE_BYTES),
        config.get(Settings.LIMIT_PENDING_BYTES),
        config.get(Settings.LIMIT_SNAPSHOT_BYTES),
        config.get(Settings.LIMIT_INGRESS_QUEUE),
        config.get(Settings.LIMIT_INGRESS_QUEUE_BYTES),
        config.get(Settings.LIMIT_INGRESS_MEMORY),
        config.get(Settings.SERVER_BATCH_LINGER).toMillis());
  }

  /** Bytes to hand over at once: a run must not make a client slow that has room. */
  int runBytes() {
    return (int) Math.min(MOST_RUN_BYTES, pendingBytes / RUNS_A_CLIENT);
  }
}
