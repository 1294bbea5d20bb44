package io.sluice.gateway.config;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Removed configuration keys, each with its replacement. Constants only. */
final class RemovedKeys {
  private static final Map<String, String> REASONS = new LinkedHashMap<>();

  static {
    // node
    constant(AdminSettings.PAUSE_THRESHOLD);

    // auth
    constant(AuthSettings.TOKEN_BYTES);
    constant(AuthSettings.THREADS);
    constant(AuthSettings.QUEUE);
    removed(
        "auth.http-timeout",
        "is no longer configurable; a request to an issuer may take four fifths of auth.timeout");
    constant(AuthSettings.HTTP_BYTES);
    constant(AuthSettings.JWT_KEYS_POLL);
    removed(
        "auth.jwt.discovery",
        "is no longer configurable; keys are discovered if auth.jwt.issuer is an https URL and"
            + " auth.jwt.keys, auth.jwt.jwks-url and auth.introspection.url are absent");
    constant(AuthSettings.JWT_REFRESH);
    constant(AuthSettings.JWT_REFRESH_MIN);
    constant(AuthSettings.JWT_CLOCK_SKEW);
    constant(AuthSettings.INTROSPECTION_CACHE_REFUSED);
    constant("auth.introspection.cache-entries", 10_000);
    constant(AuthSettings.INTROSPECTION_IN_FLIGHT);
    constant(AuthSettings.KERBEROS_CHALLENGE);
    constant(AuthSettings.KERBEROS_SESSION);

    // audit and admin
    constant(AdminSettings.AUDIT_RATE);
    constant(AdminSettings.QUERY_TIMEOUT);
    constant(AdminSettings.QUERY_SHARED);
    constant(AdminSettings.QUERY_BYTES);
    constant(AdminSettings.TAIL_RATE);
    constant(AdminSettings.ALERTS_TIMEOUT);
    constant(AdminSettings.ALERTS_BYTES);
    constant(AdminSettings.ALERTS_CACHED);
    constant("audit.queue", 8192);
    constant(LimitSettings.GRANTS);
    constant(LimitSettings.REVOCATIONS);
    constant(LimitSettings.ADMIN_FAILURES);
    constant(LimitSettings.ADMIN_CONNECTIONS);
    constant(LimitSettings.REFRESH_RATE);
    constant(LimitSettings.PRE_AUTH_BYTES);
    constant(LimitSettings.PRE_AUTH_NODE_BYTES);
    constant(TimeoutSettings.ADMIN_IDLE);

    // cluster
    removed(
        "cluster.discovery",
        "is no longer configurable; nodes are discovered by cluster.dns or by cluster.nodes,"
            + " whichever is set");
    constant(ClusterSettings.TLS_RELOAD);
    constant(ClusterSettings.REPORT);
    constant(ClusterSettings.WARM_TOPICS);
    constant("cluster.warm-rate", 100);
    constant(ClusterSettings.WARM_LINGER);
    constant("cluster.warm-timeout", Duration.ofSeconds(30));
    constant(ClusterSettings.BALANCE_TOLERANCE);
    constant(ClusterSettings.BALANCE_COOLDOWN);
    replaced("balance.shed-rate", ClusterSettings.BALANCE_REBALANCE_RATE.key());
    constant(ClusterSettings.BALANCE_BROKER_LOSS_AFTER);

    // server.tls
    constant(ServerSettings.TLS_RELOAD);
    constant(ServerSettings.TLS_ENGINE);
    removed(
        "server.tls.ocsp-responses",
        "is no longer supported; use certificates with a short lifetime, which are reloaded when"
            + " their files change");

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
        "is no longer configurable; its value is a quarter of broker.canary.timeout, at most "
            + ValueText.write(BrokerSettings.CANARY_INTERVAL.defaultValue())
            + "; an empty broker.canary.prefix sends no canaries");
    replaced("broker.canary.patience", BrokerSettings.CANARY_TIMEOUT.key());
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

    // server
    constant(ServerSettings.BACKLOG);
    constant(ServerSettings.SEND_BUFFER);
    constant(ServerSettings.BATCH_LINGER);
    constant(ServerSettings.STREAM_LIFETIME);

    // timeouts
    constant(TimeoutSettings.HANDSHAKE);
    removed("timeouts.idle", "is no longer configurable; it is 2.4 times timeouts.ping");

    // topics
    replaced("topics.compress-alone", TopicSettings.TOPIC_COMPRESSION.key() + " (pattern=alone)");

    // limits of connections
    replaced("limits.connections", LimitSettings.CONNECTIONS.key());
    replaced("limits.handshake-rate", LimitSettings.HANDSHAKE_RATE.key());
    replaced("limits.topics", LimitSettings.TOPICS.key());
    for (String member : new String[] {"subscriptions", "publish-rate"}) {
      replaced("limits.node." + member, "limits.per-node." + member);
    }
    for (String member :
        new String[] {"connections", "handshake-rate", "subscriptions", "publish-rate"}) {
      replaced("limits.address." + member, "limits.per-address." + member);
      replaced("limits.principal." + member, "limits.per-principal." + member);
    }
    for (String scope : new String[] {"address", "principal", "node"}) {
      replaced(
          "limits." + scope + ".publish-bytes",
          "limits.per-" + scope + ".publish-rate and limits.message-bytes");
    }
    replaced("limits.frame-bytes", LimitSettings.MESSAGE_BYTES.key());
    constant(LimitSettings.HANDSHAKES);
    constant(LimitSettings.ADDRESSES);
    constant(LimitSettings.OVERLOAD_LAG);
    removed(
        "limits.receive-rate",
        "was replaced by limits.frame-rate, which counts messages, and limits.message-bytes");
    constant(LimitSettings.STREAM_BODY_BYTES);
    constant(LimitSettings.STREAM_BODIES_BYTES);
  }

  private RemovedKeys() {}

  /** Returns the reason why a key was removed and its replacement; empty if it never existed. */
  static Optional<String> reason(String key) {
    return Optional.ofNullable(REASONS.get(key));
  }

  /** Returns all reasons by key, section by section. */
  static Map<String, String> reasons() {
    return Collections.unmodifiableMap(REASONS);
  }

  /** Returns whether a section contained removed keys. */
  static boolean isSection(String name) {
    return REASONS.keySet().stream().anyMatch(key -> key.startsWith(name + "."));
  }

  /** Adds a key whose value became a constant. */
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
