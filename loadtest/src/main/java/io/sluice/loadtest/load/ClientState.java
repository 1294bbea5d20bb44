package io.sluice.loadtest.load;

/** State of a client's connection. */
enum ClientState {
  /** Not connected and not queued. */
  DISCONNECTED,

  /** Queued for the connection rate limit. */
  QUEUED,

  /** TCP or TLS connection is being established. */
  CONNECTING,

  /** WebSocket handshake request sent. */
  OPENING,

  /** WebSocket open without an active subscription. */
  OPEN,

  /** Subscription active. */
  SUBSCRIBED
}
