package io.sluice.gateway.admin.query;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import java.time.Duration;

/**
 * Options of queries. Immutable, for any thread.
 *
 * @param timeout time for the answer of each node
 * @param sharedFor time in which equal queries share one result
 * @param maxBytes maximum bytes of another node's answer
 * @param authorities PEM file of trusted authorities of admin ports; empty for those of the JDK
 * @param tail options of tails
 * @param requiresTls whether other nodes receive queries only over TLS, because this node requires
 *     it
 * @param alertsUrl page of firing alerts, for the overview; empty for none
 */
public record QueryOptions(
    Duration timeout,
    Duration sharedFor,
    long maxBytes,
    String authorities,
    TailOptions tail,
    boolean requiresTls,
    String alertsUrl) {
  /** Returns the options of a configuration. */
  public static QueryOptions of(Config config) {
    return new QueryOptions(
        config.get(AdminSettings.QUERY_TIMEOUT),
        config.get(AdminSettings.QUERY_SHARED),
        config.get(AdminSettings.QUERY_BYTES),
        config.get(AdminSettings.TLS_CA),
        TailOptions.of(config),
        !config.get(AdminSettings.TLS_CERTIFICATE).isEmpty(),
        config.get(AdminSettings.ALERTS_URL));
  }
}
