package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.provider.SubscriptionLimits;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;

/**
 * Limits of the consumers of queues. Immutable, for any thread.
 *
 * @param ackTimeoutMs time after which an unsettled message is released
 * @param callTimeoutMs time limit for one request to the broker
 * @param deadLetter queue of rejected messages; empty: the provider's default
 * @param pendingBytes bytes of unsettled messages beyond which a consumer receives no further ones
 * @param subscriptions limits of clients' durable subscriptions
 */
public record QueueOptions(
    long ackTimeoutMs,
    long callTimeoutMs,
    String deadLetter,
    long pendingBytes,
    SubscriptionLimits subscriptions) {
  /** Reads the options from the configuration. */
  public static QueueOptions of(Config config) {
    return new QueueOptions(
        config.get(TopicSettings.QUEUES_ACK_TIMEOUT).toMillis(),
        config.get(BrokerSettings.OPEN_TIMEOUT).toMillis(),
        config.get(TopicSettings.QUEUES_DEAD_LETTER),
        config.get(LimitSettings.PENDING_BYTES),
        new SubscriptionLimits(
            config.get(TopicSettings.DURABLE_EXPIRY).toMillis(),
            config.get(LimitSettings.DURABLES)));
  }
}
