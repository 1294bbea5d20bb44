package io.sluice.gateway.revocation;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import java.time.Duration;

/**
 * Options of revocations. Immutable, for any thread.
 *
 * @param memory longest time that a revocation is stored
 * @param max largest number of revocations
 * @param file stores revocations across restarts; empty without a file
 */
public record RevocationOptions(Duration memory, int max, String file) {
  /** Returns the options of a configuration; values may be invalid. */
  public static RevocationOptions of(Config config) {
    return new RevocationOptions(
        config.get(AuthSettings.REVOCATION_MEMORY),
        config.get(LimitSettings.REVOCATIONS),
        config.get(AuthSettings.REVOCATIONS_FILE));
  }
}
