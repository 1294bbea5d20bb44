package io.sluice.client;

/** State of the connection. */
public enum ConnectionState {
  /** There is no session: the client is connecting, or waiting for the next attempt. */
  CONNECTING,
  /** Connected; messages are delivered. */
  OPEN,
  /** Connected, but the node has lost its broker. */
  STALE,
  /** The node is about to stop, or has named a better one; the client moves soon. */
  DRAINING,
  /** Closed permanently. */
  CLOSED
}
