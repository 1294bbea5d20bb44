package io.sluice.gateway.admin.query;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import java.util.List;
import java.util.Set;

/**
 * Options of tails. Immutable, for any thread.
 *
 * @param payload whether payloads are shown
 * @param masked names of JSON members whose values are masked
 */
public record TailOptions(boolean payload, Set<String> masked) {
  public TailOptions {
    masked = Set.copyOf(masked);
  }

  /** Returns the options of a configuration. */
  public static TailOptions of(Config config) {
    List<String> masked = config.get(AdminSettings.TAIL_MASK);
    return new TailOptions(config.get(AdminSettings.TAIL_PAYLOAD), Set.copyOf(masked));
  }
}
