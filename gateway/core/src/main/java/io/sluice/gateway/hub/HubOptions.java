package io.sluice.gateway.hub;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicCompression;
import java.util.List;

/**
 * Options of a hub. Immutable and safe for any thread.
 *
 * @param limits limits of the hub and its parts
 * @param channels maximum number of concrete topics with a channel number
 * @param logMemory maximum bytes of all topic logs
 * @param frameMemory maximum bytes of cached frames
 * @param clientId client ID of the durable interests
 * @param durable patterns of durable interests
 * @param warm patterns that the node subscribes to without a client
 * @param compressedAlone patterns of topics whose messages are not compressed with others
 * @param lingerMs time for which an interest stays open without a subscriber
 * @param congestionHoldMs time for which a connection counts as congested
 */
public record HubOptions(
    HubLimits limits,
    int channels,
    long logMemory,
    long frameMemory,
    String clientId,
    List<String> durable,
    List<String> warm,
    List<String> compressedAlone,
    long lingerMs,
    long congestionHoldMs) {

  /** Reads the options from the configuration. */
  public static HubOptions of(Config config) {
    return new HubOptions(
        HubLimits.of(config),
        config.get(LimitSettings.CHANNELS),
        config.get(HistorySettings.MEMORY),
        config.get(HistorySettings.FRAMES),
        config.get(BrokerSettings.CLIENT_ID),
        config.get(BrokerSettings.DURABLE),
        config.get(HistorySettings.WARM),
        TopicCompression.alone(config),
        config.get(BrokerSettings.LINGER).toMillis(),
        config.get(BrokerSettings.CONGESTION_HOLD).toMillis());
  }
}
