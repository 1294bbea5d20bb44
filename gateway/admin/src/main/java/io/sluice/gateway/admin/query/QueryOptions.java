package io.sluice.gateway.admin.query;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import java.time.Duration;

/**
 * Options of queries. Immutable, for any thread.
 *
 * @param sharedFor time in which equal queries share one result
 * @param authorities PEM file of trusted authorities of admin ports; empty for those of the JDK
 * @param tail options of tails
 * @param requiresTls whether other nodes receive queries only over TLS, because this node requires
 *     it
 * @param alertsUrl page of firing alerts, for the overview; empty for none
 */
public record QueryOptions(
    Duration sharedFor,
    String authorities,
    TailOptions tail,
    boolean requiresTls,
    String alertsUrl) {
  private static final Duration SHARED_FOR = Duration.ofSeconds(1);

  /** Returns the options of a configuration. */
  public static QueryOptions of(Config config) {
    return new QueryOptions(
        SHARED_FOR,
        config.get(AdminSettings.TLS_CA),
        TailOptions.of(config),
        !config.get(AdminSettings.TLS_CERTIFICATE).isEmpty(),
        config.get(AdminSettings.ALERTS_URL));
  }
}
