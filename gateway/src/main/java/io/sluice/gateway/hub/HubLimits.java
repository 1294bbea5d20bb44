package io.sluice.gateway.hub;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.history.LogLimits;
import io.sluice.gateway.journal.JournalLimits;
import io.sluice.gateway.shard.ShardLimits;

/**
 * Limits of a hub, its logs and its durable interests, read once from the configuration.
 *
 * @param topics most topics and patterns
 * @param ingressQueue most messages of one topic that wait to be encoded
 * @param ingressQueueBytes most bytes of these
 * @param ingressMemory most bytes of all topics that wait to be encoded
 * @param log limits of each topic log
 * @param shard limits of each event loop
 */
public record HubLimits(
    int topics,
    int ingressQueue,
    long ingressQueueBytes,
    long ingressMemory,
    LogLimits log,
    ShardLimits shard) {
  /** Messages by which those that the broker sends again are known; more than it sends at once. */
  static final int REMEMBERED = 4_096;

  /** Most messages that are written to the journal at once. */
  private static final int JOURNAL_ROUND = 64;

  static HubLimits of(Config config) {
    return new HubLimits(
        config.get(LimitSettings.TOPICS),
        config.get(LimitSettings.INGRESS_QUEUE),
        config.get(LimitSettings.INGRESS_QUEUE_BYTES),
        config.get(LimitSettings.INGRESS_MEMORY),
        LogLimits.of(config),
        ShardLimits.of(config));
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
}
