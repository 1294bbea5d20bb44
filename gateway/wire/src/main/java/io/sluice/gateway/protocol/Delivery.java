package io.sluice.gateway.protocol;

/**
 * Delivery mode of a subscription: docs/PROTOCOL.md, section 3. Immutable, for any thread.
 *
 * @param latest whether messages are conflated to the newest of each topic while the client lags
 * @param intervalNs minimum time between two messages, in nanoseconds; 0 without a rate
 */
public record Delivery(boolean latest, long intervalNs) {
  /** Every message. */
  public static final Delivery ALL = new Delivery(false, 0);
}
