package io.sluice.gateway.admin.alerts;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.SettingFile;
import java.time.Duration;

/**
 * Options of the alerts. Immutable, for any thread.
 *
 * @param url base URL of a Prometheus; empty for none
 * @param token file with its bearer token; null for none
 * @param timeout time for a response
 * @param maxBytes maximum bytes of a response
 * @param cached time in which a response is not requested again
 */
public record AlertOptions(
    String url, SettingFile token, Duration timeout, long maxBytes, Duration cached) {
  /** Returns the options of a configuration. */
  public static AlertOptions of(Config config) {
    String file = config.get(AdminSettings.ALERTS_TOKEN_FILE);
    return new AlertOptions(
        config.get(AdminSettings.ALERTS_URL),
        file.isEmpty() ? null : new SettingFile(AdminSettings.ALERTS_TOKEN_FILE, file),
        config.get(AdminSettings.ALERTS_TIMEOUT),
        config.get(AdminSettings.ALERTS_BYTES),
        config.get(AdminSettings.ALERTS_CACHED));
  }
}
