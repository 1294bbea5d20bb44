package io.sluice.gateway.session.queue;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;

/**
 * Limits of the queues of a node's sessions that a reload does not change; {@link
 * io.sluice.gateway.session.SessionOptions} has the others. Immutable, for any thread.
 *
 * @param durables maximum number of durable subscriptions of a principal
 * @param transactionBytes maximum bytes of all transactions that wait for the broker
 */
public record QueueLimits(int durables, long transactionBytes) {
  /** Reads the limits from the configuration. */
  public static QueueLimits of(Config config) {
    return new QueueLimits(
        config.get(LimitSettings.DURABLES), config.get(BrokerSettings.PUBLISH_QUEUE_BYTES));
  }
}
