package io.sluice.loadtest.load;

/** Mode of disconnecting a client. */
public enum DisconnectMode {
  /** Resets the socket, as after the loss of a mobile network or a process crash. */
  RST,

  /** Sends a close frame and ends the TCP stream. */
  CLOSE
}
