package io.sluice.gateway.protocol;

import java.util.List;

/**
 * Encodings of messages on the wire; each client uses one of them.
 *
 * @see MessageForm
 */
public enum Encoding {
  JSON(false, false),
  BINARY(true, false),
  JSON_DEFLATED(false, true),
  BINARY_DEFLATED(true, true),

  /** Slots of {@link MessageFormats}, like the following ones. Events are encoded as JSON. */
  OPEN_1(false, false),
  OPEN_2(false, false),
  OPEN_3(false, false),
  OPEN_4(false, false),
  OPEN_5(false, false),
  OPEN_6(false, false),
  OPEN_7(false, false),
  OPEN_8(false, false),
  OPEN_9(false, false),
  OPEN_10(false, false),
  OPEN_11(false, false),
  OPEN_12(false, false);

  private static final Encoding[] VALUES = values();

  /** Number of encodings: the size of a table indexed by {@link #ordinal()}. */
  public static final int COUNT = VALUES.length;

  /** The encodings of Sluice's own protocol. */
  public static final List<Encoding> SLUICE = List.of(JSON, BINARY, JSON_DEFLATED, BINARY_DEFLATED);

  /** Number of slots for the formats of open protocols. */
  static final int OPEN = COUNT - OPEN_1.ordinal();

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

  /** Returns the encoding of a slot, from 0. */
  static Encoding open(int slot) {
    return VALUES[OPEN_1.ordinal() + slot];
  }

  /** Returns whether messages have the format of an open protocol. */
  public boolean isOpen() {
    return ordinal() >= OPEN_1.ordinal();
  }

  /** Returns the slot of an open encoding. */
  int slot() {
    return ordinal() - OPEN_1.ordinal();
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
