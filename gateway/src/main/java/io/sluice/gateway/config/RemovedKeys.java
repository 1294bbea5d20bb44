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

    // cluster
    constant(ClusterSettings.JOIN_TIMEOUT);
    constant(ClusterSettings.MERGE_INTERVAL);

    // server
    removed(
        "server.tls.ocsp-responses",
        "OCSP stapling is no longer supported; use certificates with a short lifetime, which are"
            + " reloaded when their files change");
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
