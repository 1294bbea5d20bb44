package io.sluice.gateway.config;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Keys of earlier versions, each with what replaces it. Constants only. */
final class RemovedKeys {
  private static final Map<String, String> REASONS = new HashMap<>();

  static {
    // node
    constant(NodeSettings.PAUSE_THRESHOLD);

    // server
    removed(
        "server.tls.ocsp-responses",
        "OCSP stapling is no longer supported; use certificates with a short lifetime, which are"
            + " reloaded when their files change");

    // broker
    constant(BrokerSettings.CONNECT_TIMEOUT);
    constant(BrokerSettings.OPEN_PARALLELISM);
    constant("broker.consumers-per-session", 100);
    constant(BrokerSettings.OPEN_TIMEOUT);
    constant("broker.acknowledge", "dups-ok");
    constant(BrokerSettings.RECONNECT_MIN);
    constant(BrokerSettings.RECONNECT_MAX);
    removed(
        BrokerSettings.CANARY_INTERVAL.key(),
        "is no longer configurable; its value is a quarter of broker.canary.patience, at most "
            + ValueText.write(BrokerSettings.CANARY_INTERVAL.defaultValue())
            + "; an empty broker.canary.prefix sends no canaries");
    constant(BrokerSettings.CONGESTION_HOLD);
    replaced("broker.factory", "broker.connection-factory and broker.properties");
    replaced("broker.factory.class", "broker.connection-factory");
    replaced("broker.factory.properties", "broker.properties");
    replaced("broker.jndi", "broker.connection-factory and broker.properties");
    replaced("broker.jndi.connection-factory", "broker.connection-factory");
    replaced("broker.jndi.environment", "broker.properties");
    constant(BrokerSettings.PUBLISH_QUEUE);
    constant(BrokerSettings.PUBLISH_QUEUE_BYTES);
    constant(BrokerSettings.PUBLISH_MODE);
    constant(BrokerSettings.PUBLISH_SESSIONS);
    constant(BrokerSettings.PUBLISH_IN_FLIGHT);
    constant(BrokerSettings.PUBLISH_IN_FLIGHT_BYTES);
    constant(BrokerSettings.PUBLISH_DESTINATIONS);
    constant(BrokerSettings.PUBLISH_TIMEOUT);

    // history, resume
    constant(HistorySettings.FRAMES);
    constant("history.warm-retry", Duration.ofMinutes(1));
    constant(HistorySettings.RESUME_SPREAD);
    constant(HistorySettings.RESUME_OVERLAP);

    // limits of topics, messages and queues
    constant(LimitSettings.CHANNELS);
    constant(LimitSettings.TOPIC_LENGTH);
    constant(LimitSettings.TOPIC_DEPTH);
    constant(LimitSettings.SNAPSHOT_BYTES);
    constant(LimitSettings.SHARD_QUEUE);
    constant(LimitSettings.SHARD_QUEUE_BYTES);
    constant(LimitSettings.INGRESS_QUEUE);
    constant(LimitSettings.INGRESS_QUEUE_BYTES);
    constant(LimitSettings.SUBSCRIBE_RATE);
    constant(LimitSettings.CLIENT_ERRORS);
  }

  private RemovedKeys() {}

  /** Returns why a key is no longer accepted and what replaces it; empty if it never existed. */
  static Optional<String> reason(String key) {
    return Optional.ofNullable(REASONS.get(key));
  }

  /** A key whose value became a constant. */
  private static void constant(String key, Object value) {
    removed(key, "is no longer configurable; its value is always " + ValueText.write(value));
  }

  private static void constant(Setting<?> internal) {
    constant(internal.key(), internal.defaultValue());
  }

  private static void replaced(String key, String replacement) {
    removed(key, "was replaced by " + replacement);
  }

  private static void removed(String key, String reason) {
    if (REASONS.put(key, reason) != null) {
      throw new IllegalStateException(key + " is removed twice");
    }
  }
}
