package io.sluice.gateway.config;

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
    constant(ServerSettings.BACKLOG);
    constant(ServerSettings.SEND_BUFFER);
    constant(ServerSettings.BATCH_LINGER);
    constant(ServerSettings.STREAM_LIFETIME);
    removed(
        "server.tls.ocsp-responses",
        "OCSP stapling is no longer supported; use certificates with a short lifetime, which are"
            + " reloaded when their files change");

    // timeouts
    constant(TimeoutSettings.HANDSHAKE);
    removed("timeouts.idle", "is no longer configurable; it is 2.4 times timeouts.ping");

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

  /** Returns why a key is no longer accepted and what replaces it; empty if it never existed. */
  static Optional<String> reason(String key) {
    return Optional.ofNullable(REASONS.get(key));
  }

  /** Returns whether keys of a section were removed. */
  static boolean isSection(String name) {
    return REASONS.keySet().stream().anyMatch(key -> key.startsWith(name + "."));
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
