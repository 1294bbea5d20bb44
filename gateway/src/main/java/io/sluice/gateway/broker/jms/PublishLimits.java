package io.sluice.gateway.broker.jms;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;

/**
 * Bounds of publishing.
 *
 * @param waiting publishes that wait to be sent, over all lanes
 * @param waitingBytes their bytes
 * @param lanes sequences of publishes that are sent independently of each other
 * @param inFlight publishes of one lane that were sent and are not confirmed yet
 * @param inFlightBytes their bytes; one larger publish is sent alone
 * @param destinations JMS destinations cached by one lane
 * @param timeoutMs time that a publish may wait to be sent, and time within which the broker has to
 *     confirm it
 */
record PublishLimits(
    int waiting,
    long waitingBytes,
    int lanes,
    int inFlight,
    long inFlightBytes,
    int destinations,
    long timeoutMs) {

  static PublishLimits of(Config config) {
    int lanes = config.get(BrokerSettings.PUBLISH_SESSIONS);
    return new PublishLimits(
        config.get(BrokerSettings.PUBLISH_QUEUE),
        config.get(BrokerSettings.PUBLISH_QUEUE_BYTES),
        lanes,
        Math.max(1, config.get(BrokerSettings.PUBLISH_IN_FLIGHT) / lanes),
        config.get(BrokerSettings.PUBLISH_IN_FLIGHT_BYTES) / lanes,
        config.get(BrokerSettings.PUBLISH_DESTINATIONS),
        config.get(BrokerSettings.PUBLISH_TIMEOUT).toMillis());
  }
}
