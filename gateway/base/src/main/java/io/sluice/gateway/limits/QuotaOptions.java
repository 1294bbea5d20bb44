package io.sluice.gateway.limits;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;

/**
 * Options of the {@link Quotas} of a node. Immutable, for any thread.
 *
 * @param address limits of each address
 * @param principal limits of each principal
 * @param topic limits of each topic
 * @param node limits of the node
 * @param maxAddresses maximum number of addresses that are counted at a time
 * @param maxTopics maximum number of topics whose publishes are counted separately
 */
public record QuotaOptions(
    QuotaLimits address,
    QuotaLimits principal,
    QuotaLimits topic,
    QuotaLimits node,
    int maxAddresses,
    int maxTopics) {
  /** Returns the options of a configuration. */
  public static QuotaOptions of(Config config) {
    return new QuotaOptions(
        QuotaLimits.ofAddress(config),
        QuotaLimits.ofPrincipal(config),
        QuotaLimits.ofTopic(config),
        QuotaLimits.ofNode(config),
        config.get(LimitSettings.ADDRESSES),
        config.get(LimitSettings.TOPICS));
  }

  static QuotaOptions none() {
    QuotaLimits none = QuotaLimits.none();
    return new QuotaOptions(none, none, none, none, 0, 0);
  }
}
