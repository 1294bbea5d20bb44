package io.sluice.gateway.broker.jms;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;

/**
 * Limits of publishing. Immutable, for any thread.
 *
 * @param waiting maximum number of queued publishes in all lanes
 * @param waitingBytes maximum bytes of queued publishes in all lanes
 * @param lanes number of lanes, which are sent independently
 * @param inFlight maximum number of sent and unconfirmed publishes of one lane
 * @param inFlightBytes maximum bytes of these; a larger publish is sent alone
 * @param destinations JMS destinations cached by one lane
 * @param timeoutMs maximum time of a publish in the queue, and timeout for its confirmation
 */
record PublishLimits(
    int waiting,
    long waitingBytes,
    int lanes,
    int inFlight,
    long inFlightBytes,
    int destinations,
    long timeoutMs) {
  /** Maximum bytes of the unconfirmed publishes of all lanes. */
  private static final long IN_FLIGHT_BYTES = 16L << 20;

  private static final int DESTINATIONS = 1_000;

  /** Reads the limits from the configuration. */
  static PublishLimits of(Config config) {
    int lanes = config.get(BrokerSettings.PUBLISH_SESSIONS);
    return new PublishLimits(
        config.get(BrokerSettings.PUBLISH_QUEUE),
        config.get(BrokerSettings.PUBLISH_QUEUE_BYTES),
        lanes,
        Math.max(1, config.get(BrokerSettings.PUBLISH_IN_FLIGHT) / lanes),
        IN_FLIGHT_BYTES / lanes,
        DESTINATIONS,
        config.get(BrokerSettings.PUBLISH_TIMEOUT).toMillis());
  }
}
