package io.sluice.gateway.protocol;

import java.util.List;
import java.util.stream.Stream;

/** Formats of all open protocols of a node. Immutable, for any thread. */
public final class MessageFormats {
  /** No format. */
  public static final MessageFormats NONE = new MessageFormats(List.of());

  private final List<MessageFormat> formats;

  /** Assigns an encoding to each format, at most {@link Encoding#OPEN} of them. */
  public MessageFormats(List<MessageFormat> formats) {
    if (formats.size() > Encoding.OPEN) {
      throw new IllegalArgumentException(
          formats.size() + " formats, at most " + Encoding.OPEN + " are possible");
    }
    this.formats = List.copyOf(formats);
  }

  /** Returns these formats and others. */
  public MessageFormats plus(MessageFormats other) {
    return new MessageFormats(Stream.concat(formats.stream(), other.formats.stream()).toList());
  }

  /** Returns the encoding of a format of this node. */
  public Encoding encoding(MessageFormat format) {
    int slot = formats.indexOf(format);
    if (slot < 0) {
      throw new IllegalArgumentException(format + " is not a format of this node");
    }
    return Encoding.open(slot);
  }

  /** Returns the format of an open encoding. */
  MessageFormat of(Encoding encoding) {
    return formats.get(encoding.slot());
  }
}
