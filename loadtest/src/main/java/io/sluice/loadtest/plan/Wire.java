package io.sluice.loadtest.plan;

/**
 * What a message costs on the network, as stated by whoever plans; 0 for what is not stated.
 * Immutable.
 *
 * @param brokerRate messages a second from the broker to each node
 * @param brokerBytes of a message on the wire from the broker
 * @param clientBytes of a message on the wire to a client
 */
public record Wire(double brokerRate, double brokerBytes, double clientBytes) {
  /** Nothing stated. */
  public static final Wire UNSTATED = new Wire(0, 0, 0);
}
