package io.sluice.gateway.broker;

/**
 * State of a durable subscription at the broker. Immutable, for any thread.
 *
 * @param where JMS selector, or null
 * @param messages number of messages, including pending ones; {@link #UNKNOWN} if the broker does
 *     not report it
 * @param consumers number of consumers of all nodes; {@link #UNKNOWN} if the broker does not report
 *     it
 */
public record DurableState(
    TopicSubscription subscription, String where, long messages, long consumers) {
  /** A number that the broker does not report. */
  public static final long UNKNOWN = -1;
}
