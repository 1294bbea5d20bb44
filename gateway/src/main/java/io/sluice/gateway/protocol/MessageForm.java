package io.sluice.gateway.protocol;

/**
 * Encoded form of a message that all subscriptions of a kind share: a complete frame in one
 * encoding, or the base of frames that carry a ref.
 */
public enum MessageForm {
  JSON(Encoding.JSON, false),
  BINARY(Encoding.BINARY, false),
  JSON_DEFLATED(Encoding.JSON_DEFLATED, false),
  BINARY_DEFLATED(Encoding.BINARY_DEFLATED, false),

  /** The next two are compressed from behind the place of a ref. */
  JSON_TAG_BASE(Encoding.JSON_DEFLATED, true),
  BINARY_TAG_BASE(Encoding.BINARY_DEFLATED, true);

  private static final MessageForm[] VALUES = values();

  /** The number of forms: the size of a table by {@link #ordinal()}. */
  public static final int COUNT = VALUES.length;

  private final Encoding encoding;
  private final boolean tagBase;

  MessageForm(Encoding encoding, boolean tagBase) {
    this.encoding = encoding;
    this.tagBase = tagBase;
  }

  /** The form with this ordinal. */
  public static MessageForm at(int ordinal) {
    return VALUES[ordinal];
  }

  /** The frames of plain subscriptions. They have the ordinals of the encodings. */
  public static MessageForm of(Encoding encoding) {
    return VALUES[encoding.ordinal()];
  }

  /** The form from which {@link FrameTag} makes the frames of tagged subscriptions. */
  public static MessageForm tagBase(Encoding encoding) {
    return switch (encoding) {
      case JSON -> JSON;
      case BINARY -> BINARY;
      case JSON_DEFLATED -> JSON_TAG_BASE;
      case BINARY_DEFLATED -> BINARY_TAG_BASE;
    };
  }

  /** The encoding of the frames that it is, or that are made from it. */
  public Encoding encoding() {
    return encoding;
  }

  /** Whether it is a base only, which no client can read. */
  public boolean isTagBase() {
    return tagBase;
  }
}
