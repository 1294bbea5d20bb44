package io.sluice.gateway.protocol;

/**
 * Encoded form of a message, shared by all subscriptions of one kind: a complete frame in one
 * encoding, or the base of frames with a ref.
 */
public enum MessageForm {
  JSON(Encoding.JSON, false),
  BINARY(Encoding.BINARY, false),
  JSON_DEFLATED(Encoding.JSON_DEFLATED, false),
  BINARY_DEFLATED(Encoding.BINARY_DEFLATED, false),

  /** Formats of open protocols, like the following ones. */
  OPEN_1(Encoding.OPEN_1, false),
  OPEN_2(Encoding.OPEN_2, false),
  OPEN_3(Encoding.OPEN_3, false),
  OPEN_4(Encoding.OPEN_4, false),
  OPEN_5(Encoding.OPEN_5, false),
  OPEN_6(Encoding.OPEN_6, false),
  OPEN_7(Encoding.OPEN_7, false),
  OPEN_8(Encoding.OPEN_8, false),
  OPEN_9(Encoding.OPEN_9, false),
  OPEN_10(Encoding.OPEN_10, false),
  OPEN_11(Encoding.OPEN_11, false),
  OPEN_12(Encoding.OPEN_12, false),

  /** Compressed from behind the position of the ref, like the next one. */
  JSON_TAG_BASE(Encoding.JSON_DEFLATED, true),
  BINARY_TAG_BASE(Encoding.BINARY_DEFLATED, true),

  /** Compressed in any size, like the next one: the dictionary of the next message. */
  JSON_SEED(Encoding.JSON_DEFLATED, false),
  BINARY_SEED(Encoding.BINARY_DEFLATED, false),

  /** Compressed with the previous message of the stream as dictionary, like the next one. */
  JSON_NEXT(Encoding.JSON_DEFLATED, false),
  BINARY_NEXT(Encoding.BINARY_DEFLATED, false),

  /** {@link CompressedFrame} without dictionary, like the next one. */
  JSON_FRAMED(Encoding.JSON_DEFLATED, false),
  BINARY_FRAMED(Encoding.BINARY_DEFLATED, false),

  /** {@link CompressedFrame} with the previous message of the stream, like the next one. */
  JSON_FRAMED_NEXT(Encoding.JSON_DEFLATED, false),
  BINARY_FRAMED_NEXT(Encoding.BINARY_DEFLATED, false);

  private static final MessageForm[] VALUES = values();

  /** Number of forms: the size of a table indexed by {@link #ordinal()}. */
  public static final int COUNT = VALUES.length;

  private final Encoding encoding;
  private final boolean tagBase;

  MessageForm(Encoding encoding, boolean tagBase) {
    this.encoding = encoding;
    this.tagBase = tagBase;
  }

  /** Returns the form with this ordinal. */
  public static MessageForm at(int ordinal) {
    return VALUES[ordinal];
  }

  /**
   * Returns the frame form of plain subscriptions. These forms have the ordinals of the encodings.
   */
  public static MessageForm of(Encoding encoding) {
    return VALUES[encoding.ordinal()];
  }

  /** Returns the form from which {@link FrameTag} writes the frames of tagged subscriptions. */
  public static MessageForm tagBase(Encoding encoding) {
    return switch (encoding) {
      case JSON_DEFLATED -> JSON_TAG_BASE;
      case BINARY_DEFLATED -> BINARY_TAG_BASE;
      default -> of(encoding);
    };
  }

  /** Returns the form in which messages of any size are compressed without dictionary. */
  public static MessageForm seed(boolean binary) {
    return binary ? BINARY_SEED : JSON_SEED;
  }

  /** Returns the form that is compressed with the previous message as dictionary. */
  public static MessageForm next(boolean binary) {
    return binary ? BINARY_NEXT : JSON_NEXT;
  }

  /**
   * Returns the form of clients that inflate messages themselves.
   *
   * @param next whether the previous message is the dictionary
   */
  public static MessageForm framed(boolean binary, boolean next) {
    if (next) {
      return binary ? BINARY_FRAMED_NEXT : JSON_FRAMED_NEXT;
    }
    return binary ? BINARY_FRAMED : JSON_FRAMED;
  }

  /** Returns whether this is a {@link CompressedFrame}. */
  public boolean isFramed() {
    return ordinal() >= JSON_FRAMED.ordinal();
  }

  /** Returns the form from which a {@link CompressedFrame} is written. */
  public MessageForm content() {
    return isNext() ? next(encoding.isBinary()) : of(encoding);
  }

  /** Returns whether messages of any size are compressed. */
  public boolean isSeed() {
    return this == JSON_SEED || this == BINARY_SEED;
  }

  /** Returns whether the previous message of the stream is the dictionary. */
  public boolean isNext() {
    return this == JSON_NEXT
        || this == BINARY_NEXT
        || this == JSON_FRAMED_NEXT
        || this == BINARY_FRAMED_NEXT;
  }

  /** Returns the encoding of the frames in this form, or of the frames written from it. */
  public Encoding encoding() {
    return encoding;
  }

  /** Returns whether this is only a base, which no client can read. */
  public boolean isTagBase() {
    return tagBase;
  }
}
