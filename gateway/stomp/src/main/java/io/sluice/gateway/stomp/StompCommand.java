package io.sluice.gateway.stomp;

/** Commands of client frames. */
enum StompCommand {
  CONNECT,
  STOMP,
  SEND,
  SUBSCRIBE,
  UNSUBSCRIBE,
  BEGIN,
  COMMIT,
  ABORT,
  ACK,
  NACK,
  DISCONNECT;

  private static final StompCommand[] VALUES = values();

  /** Returns the command of a frame's first line, or null. */
  static StompCommand of(String line) {
    for (StompCommand each : VALUES) {
      if (each.name().equals(line)) {
        return each;
      }
    }
    return null;
  }

  /** Returns whether this opens the session; headers of such frames have no escape sequences. */
  boolean isConnect() {
    return this == CONNECT || this == STOMP;
  }

  /** Returns whether the frame may have a body. */
  boolean hasBody() {
    return this == SEND;
  }
}
