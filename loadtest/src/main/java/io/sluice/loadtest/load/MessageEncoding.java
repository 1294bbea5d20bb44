package io.sluice.loadtest.load;

/** Message encoding that the load generator can request. Immutable, for any thread. */
public enum MessageEncoding {
  /** Messages are binary frames. */
  BIN("sluice.v1.bin"),

  /** Every frame is text. */
  JSON("sluice.v1.json");

  private final String subprotocol;

  MessageEncoding(String subprotocol) {
    this.subprotocol = subprotocol;
  }

  /** Returns the subprotocol's name in the handshake. */
  String subprotocol() {
    return subprotocol;
  }
}
