package io.sluice.gateway.streams.read;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageFormat;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.value.JsonReader;
import io.sluice.gateway.protocol.value.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Format of messages that responses are composed of. A record has its length, the lengths of
 * position and topic, the form of the payload in JSON, then position, topic and payload. Stateless,
 * for any thread.
 */
final class RecordFormat implements MessageFormat {
  /** The format of all reads. */
  static final RecordFormat INSTANCE = new RecordFormat();

  /** Bytes before the position. */
  static final int HEAD_BYTES = Integer.BYTES + 2 * Short.BYTES + 1;

  /** Forms of a payload as an element of an array. */
  enum Form {
    /** The payload is JSON. */
    JSON,
    /** A string. */
    TEXT,
    /** A string in base64. */
    BYTES,
    /** Null: the message is a removal. */
    NONE;

    private static final Form[] VALUES = values();

    static Form at(int ordinal) {
      return VALUES[ordinal];
    }
  }

  private RecordFormat() {}

  @Override
  public ByteBuf encode(Message message, Channel channel, long offset, ByteBufAllocator allocator) {
    byte[] position = ascii(PositionText.of(channel, offset, message));
    byte[] topic = topic(channel);
    int length = HEAD_BYTES + position.length + topic.length + message.payload().length;
    ByteBuf record = allocator.directBuffer(length);
    record.writeInt(length).writeShort(position.length).writeShort(topic.length);
    record.writeByte(form(message).ordinal());
    return record.writeBytes(position).writeBytes(topic).writeBytes(message.payload());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the topic of a pattern's message as JSON; empty for other messages. */
  private static byte[] topic(Channel channel) {
    return channel.pattern() == null
        ? new byte[0]
        : JsonText.quoted(channel.topic()).getBytes(StandardCharsets.UTF_8);
  }

  private static Form form(Message message) {
    return switch (message.kind()) {
      case TEXT -> isJson(message.payload()) ? Form.JSON : Form.TEXT;
      case BYTES -> Form.BYTES;
      case JSON -> Form.JSON;
      case REMOVAL -> Form.NONE;
    };
  }

  /** Returns whether a text is one JSON value within the limits of {@link JsonReader}. */
  static boolean isJson(byte[] text) {
    if (text.length == 0 || !mayBegin(text[0])) {
      return false;
    }
    // Of characters: the parser would recognize other encodings of bytes.
    try (JsonParser parser = JsonReader.parser(new String(text, StandardCharsets.UTF_8))) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        return false;
      }
      parser.skipChildren();
      parser.finishToken();
      return parser.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }

  // Most texts that are no JSON are recognized without an exception.
  private static boolean mayBegin(byte first) {
    return switch (first) {
      case '{', '[', '"', '-', 't', 'f', 'n', ' ', '\t', '\r', '\n' -> true;
      default -> first >= '0' && first <= '9';
    };
  }

  @Override
  public int tagBytes(long ref) {
    return 0;
  }

  /** Writes the same record: a read has one subscription. */
  @Override
  public void writeTagged(ByteBuf encoded, long ref, ByteBuf out) {
    out.writeBytes(encoded, encoded.readerIndex(), encoded.readableBytes());
  }
}
