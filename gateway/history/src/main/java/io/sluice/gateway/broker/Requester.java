package io.sluice.gateway.broker;

import io.sluice.gateway.limits.Shares;

/**
 * Origin of a request to the broker. Immutable, for any thread.
 *
 * @param session id of the client's session, for the log; empty for the node
 * @param user key of the user who takes turns with others in shared queues and threads: its
 *     principal, or its address if it is anonymous; empty for the node
 * @param sequence publishes with equal numbers are sent in order
 */
public record Requester(String session, String user, int sequence) {
  /** The node itself. */
  public static final Requester NODE = new Requester("", Shares.NODE, 0);
}
