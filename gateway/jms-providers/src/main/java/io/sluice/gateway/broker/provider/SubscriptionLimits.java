package io.sluice.gateway.broker.provider;

/**
 * Limits of clients' durable subscriptions. Immutable, for any thread.
 *
 * @param expiryMs time after which a subscription without consumers is deleted
 * @param durables maximum number of subscriptions of a principal
 */
public record SubscriptionLimits(long expiryMs, int durables) {
  private static final int CHECKS_PER_EXPIRY = 10;
  private static final long MAX_CHECK_INTERVAL_MS = 3_600_000;

  /** Returns the interval between two checks for unused subscriptions. */
  public long checkIntervalMs() {
    return Math.min(expiryMs / CHECKS_PER_EXPIRY, MAX_CHECK_INTERVAL_MS);
  }
}
