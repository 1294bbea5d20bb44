package io.sluice.loadtest.load;

/** Where a client stands. */
enum ClientState {
  /** Not connected, and not about to be. */
  AWAY,

  /** Waits for its turn to connect. */
  WAITING,

  /** TCP, and TLS, are being opened. */
  CONNECTING,

  /** The WebSocket handshake is with the server. */
  OPENING,

  /** A WebSocket without a subscription, or not yet with one. */
  OPEN,

  /** Its subscription stands. */
  SUBSCRIBED
}
