package io.sluice.loadtest.load;

/** An encoding of messages that the load generator can ask for. */
public enum MessageEncoding {
  /** Messages are binary frames. */
  BIN("sluice.v1.bin"),

  /** Every frame is text. */
  JSON("sluice.v1.json");

  private final String subprotocol;

  MessageEncoding(String subprotocol) {
    this.subprotocol = subprotocol;
  }

  /** The name in the handshake. */
  String subprotocol() {
    return subprotocol;
  }
}
