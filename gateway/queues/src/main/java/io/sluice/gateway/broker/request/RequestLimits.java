package io.sluice.gateway.broker.request;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;

/**
 * Limits of a node's requests. Immutable, for any thread.
 *
 * @param pending maximum number of pending requests
 * @param waitingBytes maximum bytes of requests that wait for the reply queue
 * @param openTimeoutMs time limit for opening the reply queue
 */
public record RequestLimits(int pending, long waitingBytes, long openTimeoutMs) {
  /** Reads the limits from the configuration. */
  public static RequestLimits of(Config config) {
    return new RequestLimits(
        config.get(LimitSettings.NODE_REQUESTS),
        config.get(BrokerSettings.PUBLISH_QUEUE_BYTES),
        config.get(BrokerSettings.OPEN_TIMEOUT).toMillis());
  }
}
