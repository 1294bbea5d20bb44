package io.sluice.gateway.hub;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.history.LogLimits;
import io.sluice.gateway.shard.ShardLimits;
import java.util.List;

/**
 * Limits of a hub, its logs and its durable interests, read once from the configuration. Immutable
 * and safe for any thread.
 *
 * @param topics maximum number of topics and patterns
 * @param topicSelectors maximum number of selectors of one topic that the node evaluates
 * @param selectorsAtBroker maximum number of selectors of one topic that the broker evaluates
 * @param brokerSelectors patterns of topics whose selectors the broker evaluates
 * @param ingressQueue maximum number of one topic's messages queued for encoding
 * @param ingressQueueBytes maximum bytes of these messages
 * @param ingressMemory maximum bytes of all topics' messages queued for encoding
 * @param readBack maximum number of messages read back from the source at a time
 * @param readBackRate maximum bytes per second that one source reads back
 * @param log limits of each topic log
 * @param shard limits of each event loop
 */
public record HubLimits(
    int topics,
    int topicSelectors,
    int selectorsAtBroker,
    List<String> brokerSelectors,
    int ingressQueue,
    long ingressQueueBytes,
    long ingressMemory,
    int readBack,
    long readBackRate,
    LogLimits log,
    ShardLimits shard) {
  /** Message identities stored to detect redelivery; exceeds the number redelivered at once. */
  public static final int REDELIVERY_WINDOW = 4_096;

  /** Reads the limits from the configuration. */
  static HubLimits of(Config config) {
    return new HubLimits(
        config.get(LimitSettings.TOPICS),
        config.get(LimitSettings.TOPIC_SELECTORS),
        config.get(LimitSettings.BROKER_SELECTORS),
        config.get(TopicSettings.BROKER_SELECTORS),
        config.get(LimitSettings.INGRESS_QUEUE),
        config.get(LimitSettings.INGRESS_QUEUE_BYTES),
        config.get(LimitSettings.INGRESS_MEMORY),
        config.get(HistorySettings.READ_BACK),
        config.get(HistorySettings.READ_BACK_RATE),
        LogLimits.of(config),
        ShardLimits.of(config));
  }
}
