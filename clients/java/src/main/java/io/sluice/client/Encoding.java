package io.sluice.client;

/** Encoding of messages on the wire: PROTOCOL.md, section 1. */
public enum Encoding {
  /** Messages and publishes are binary frames; the other frames are JSON. */
  BINARY("sluice.v1.bin"),
  /** All frames are JSON text, which is readable in traces. */
  JSON("sluice.v1.json");

  final String subprotocol;

  Encoding(String subprotocol) {
    this.subprotocol = subprotocol;
  }
}
