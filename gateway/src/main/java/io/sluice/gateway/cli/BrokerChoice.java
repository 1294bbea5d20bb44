package io.sluice.gateway.cli;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.util.Set;

/** Knows whether a configuration says which broker to use. Stateless, for any thread. */
final class BrokerChoice {
  private static final Set<String> BY_URL = Set.of("artemis", "classic");

  private BrokerChoice() {}

  /** True if a URL is needed and missing; a factory or JNDI may do without. */
  static boolean needsUrl(Config config) {
    String url = config.get(Settings.BROKER_URL);
    return BY_URL.contains(config.get(Settings.BROKER_PROVIDER)) && (url == null || url.isBlank());
  }
}
