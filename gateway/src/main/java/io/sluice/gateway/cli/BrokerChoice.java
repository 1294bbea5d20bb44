package io.sluice.gateway.cli;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.util.Set;

/** Knows whether a configuration says which broker to use. Stateless, for any thread. */
final class BrokerChoice {
  private static final Set<String> BY_URL = Set.of("artemis", "classic");

  private BrokerChoice() {}

  /** True if a URL is needed and missing; a factory or JNDI may do without. */
  static boolean needsUrl(Config config) {
    String url = config.get(BrokerSettings.URL);
    return BY_URL.contains(config.get(BrokerSettings.PROVIDER)) && (url == null || url.isBlank());
  }
}
