package io.sluice.gateway.protocol;

/**
 * Encodings of messages on the wire; each client uses one of them.
 *
 * @see MessageForm
 */
public enum Encoding {
  JSON(false, false),
  BINARY(true, false),
  JSON_DEFLATED(false, true),
  BINARY_DEFLATED(true, true);

  private static final Encoding[] VALUES = values();

  /** Number of encodings: the size of a table indexed by {@link #ordinal()}. */
  public static final int COUNT = VALUES.length;

  /** The subprotocol of the JSON encoding. */
  public static final String JSON_SUBPROTOCOL = "sluice.v1.json";

  /** The subprotocol of the binary encoding. */
  public static final String BINARY_SUBPROTOCOL = "sluice.v1.bin";

  private final boolean binary;
  private final boolean deflated;

  Encoding(boolean binary, boolean deflated) {
    this.binary = binary;
    this.deflated = deflated;
  }

  /** Returns the encoding of a client by what it negotiated. */
  public static Encoding of(boolean binary, boolean deflated) {
    if (binary) {
      return deflated ? BINARY_DEFLATED : BINARY;
    }
    return deflated ? JSON_DEFLATED : JSON;
  }

  /** Returns the encoding with this ordinal. */
  public static Encoding at(int ordinal) {
    return VALUES[ordinal];
  }

  /** Returns whether messages are binary frames. */
  public boolean isBinary() {
    return binary;
  }

  /** Returns whether messages may be compressed: permessage-deflate was negotiated. */
  public boolean isDeflated() {
    return deflated;
  }
}
