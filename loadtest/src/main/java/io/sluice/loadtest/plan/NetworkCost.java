package io.sluice.loadtest.plan;

/**
 * Network traffic of a message as stated on the command line; 0: not stated. Immutable.
 *
 * @param brokerRate messages a second from the broker to each node
 * @param brokerBytes of a message on the wire from the broker
 * @param clientBytes of a message on the wire to a client
 */
public record NetworkCost(double brokerRate, double brokerBytes, double clientBytes) {
  /** Nothing stated. */
  public static final NetworkCost UNSTATED = new NetworkCost(0, 0, 0);
}
