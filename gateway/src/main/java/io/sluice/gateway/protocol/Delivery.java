package io.sluice.gateway.protocol;

/**
 * How much of a topic a subscription wants: docs/PROTOCOL.md, section 3.
 *
 * @param latest whether only the newest message of each topic is kept while the client lags
 * @param intervalNs the least time between two of them, in nanoseconds; 0 if it has no rate
 */
public record Delivery(boolean latest, long intervalNs) {
  /** Every message. */
  public static final Delivery ALL = new Delivery(false, 0);
}
