package io.sluice.gateway.hub;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.journal.JournalLimits;
import io.sluice.gateway.protocol.Site;

/**
 * Limits of a hub, its logs and its durable interests, read once from the configuration.
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
 * @param messages most messages that a topic or pattern keeps; 0 keeps none
 * @param bytes most bytes of these
 * @param ageMs age at which these are discarded
 * @param keys most topics or keys of which the newest message is kept for snapshots
 * @param spreadMs difference in the order in which two nodes may receive concurrent messages
 * @param marginMs difference of the clocks of two nodes, and of the delivery to them
 * @param overlap identities that a client remembers
 * @param site site of the broker: positions of another one have no meaning here
 */
public record HubLimits(
    int topics,
    int queue,
    long queueBytes,
    long pendingBytes,
    long snapshotBytes,
    int ingressQueue,
    long ingressQueueBytes,
    long ingressMemory,
    long lingerMs,
    int messages,
    long bytes,
    long ageMs,
    int keys,
    long spreadMs,
    long marginMs,
    int overlap,
    Site site) {
  /** Messages by which those that the broker sends again are known; more than it sends at once. */
  static final int REMEMBERED = 4_096;

  /** Most messages that are written to the journal at once. */
  private static final int JOURNAL_ROUND = 64;

  private static final int MOST_RUN_BYTES = 64 * 1024;
  private static final int RUNS_A_CLIENT = 8;

  static HubLimits of(Config config) {
    return new HubLimits(
        config.get(LimitSettings.TOPICS),
        config.get(LimitSettings.SHARD_QUEUE),
        config.get(LimitSettings.SHARD_QUEUE_BYTES),
        config.get(LimitSettings.PENDING_BYTES),
        config.get(LimitSettings.SNAPSHOT_BYTES),
        config.get(LimitSettings.INGRESS_QUEUE),
        config.get(LimitSettings.INGRESS_QUEUE_BYTES),
        config.get(LimitSettings.INGRESS_MEMORY),
        config.get(ServerSettings.BATCH_LINGER).toMillis(),
        config.get(HistorySettings.MESSAGES),
        config.get(HistorySettings.BYTES),
        config.get(HistorySettings.AGE).toMillis(),
        config.get(HistorySettings.KEYS),
        config.get(HistorySettings.RESUME_SPREAD).toMillis(),
        config.get(HistorySettings.RESUME_MARGIN).toMillis(),
        config.get(HistorySettings.RESUME_OVERLAP),
        Site.of(config.get(BrokerSettings.SITE)));
  }

  /**
   * Limits of the journal: those of the logs, but not less than the messages that may not be
   * acknowledged yet. These would otherwise be taken for new when the broker sends them again.
   */
  public static JournalLimits journal(Config config) {
    return new JournalLimits(
        Math.max(REMEMBERED, config.get(HistorySettings.MESSAGES)),
        Math.max(
            JOURNAL_ROUND * config.get(LimitSettings.BROKER_MESSAGE_BYTES),
            config.get(HistorySettings.BYTES)),
        config.get(HistorySettings.AGE),
        config.get(HistorySettings.JOURNAL_BYTES));
  }

  /** Bytes to hand over at once: a run must not make a client slow that has room. */
  int runBytes() {
    return (int) Math.min(MOST_RUN_BYTES, pendingBytes / RUNS_A_CLIENT);
  }
}
