package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.SourceOptions;
import io.sluice.gateway.broker.jms.message.KeyProperties;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import java.nio.file.Path;
import java.util.List;

/**
 * Options of the node's connections to the broker. Immutable, for any thread.
 *
 * @param provider options of the JMS client
 * @param clientId client ID of the first connection; empty if it has none
 * @param connections number of connections
 * @param openParallelism maximum number of consumers opened concurrently, and closed concurrently
 * @param openTimeoutMs time limit for opening or closing one consumer
 * @param reconnectMaxMs upper bound of all delays before a reconnect
 * @param canaryPrefix first levels of the topics of canaries
 * @param canaryIntervalMs interval between two canaries of a connection; 0 if none are sent
 * @param canaryTimeoutMs time without a canary after which the broker is considered lost
 * @param publish limits of publishing
 * @param publishPersistent whether publishes are persistent
 * @param forwardedProperties JMS properties that are forwarded with a message
 * @param keyProperties JMS properties with the keys of topics and the marker of removals
 * @param messageBytes maximum payload of a message in bytes
 * @param markerFile file with the identity of the latest {@link DurableMarker}
 */
public record JmsOptions(
    ProviderOptions provider,
    String clientId,
    int connections,
    int openParallelism,
    long openTimeoutMs,
    long reconnectMaxMs,
    String canaryPrefix,
    long canaryIntervalMs,
    long canaryTimeoutMs,
    PublishLimits publish,
    boolean publishPersistent,
    List<String> forwardedProperties,
    KeyProperties keyProperties,
    long messageBytes,
    Path markerFile) {
  private static final int CANARIES_PER_TIMEOUT = 4;

  /** Reads the options from the configuration. */
  public static JmsOptions of(Config config) {
    long timeoutMs = config.get(BrokerSettings.CANARY_TIMEOUT).toMillis();
    String prefix = config.get(BrokerSettings.CANARY_PREFIX);
    long intervalMs = config.get(BrokerSettings.CANARY_INTERVAL).toMillis();
    return new JmsOptions(
        ProviderOptions.of(config),
        config.get(BrokerSettings.CLIENT_ID),
        config.get(BrokerSettings.CONNECTIONS),
        config.get(BrokerSettings.OPEN_PARALLELISM),
        config.get(BrokerSettings.OPEN_TIMEOUT).toMillis(),
        config.get(BrokerSettings.RECONNECT_MAX).toMillis(),
        prefix,
        prefix.isEmpty() ? 0 : Math.min(intervalMs, timeoutMs / CANARIES_PER_TIMEOUT),
        timeoutMs,
        PublishLimits.of(config),
        config.get(TopicSettings.PUBLISH_PERSISTENT),
        SourceOptions.forwardedProperties(config),
        KeyProperties.of(
            config.get(HistorySettings.KEY_PROPERTIES),
            config.get(HistorySettings.REMOVAL_PROPERTY)),
        config.get(LimitSettings.BROKER_MESSAGE_BYTES),
        Path.of(config.get(HistorySettings.JOURNAL_FOLDER), "broker.keepsake"));
  }

  /** Creates the backoff of reconnects. */
  Backoff newBackoff() {
    return SourceOptions.backoff(reconnectMaxMs);
  }
}
