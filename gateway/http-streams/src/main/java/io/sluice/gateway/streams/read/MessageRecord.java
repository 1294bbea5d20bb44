package io.sluice.gateway.streams.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.streams.read.RecordFormat.Form;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * One of several records of {@link RecordFormat}. Valid as long as the buffer. Bound to one thread.
 */
final class MessageRecord {
  /** Bytes of text that are escaped at once. */
  private static final int CHUNK = 512;

  private static final byte[] TOPIC = "{\"topic\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] PAYLOAD = ",\"payload\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

  private final ByteBuf buffer;
  private final int start;
  private final int length;
  private final int positionLength;
  private final int topicLength;

  /** Reads the record at the reader's index, which does not change. */
  MessageRecord(ByteBuf records) {
    buffer = records;
    start = records.readerIndex();
    length = records.getInt(start);
    positionLength = records.getShort(start + Integer.BYTES);
    topicLength = records.getShort(start + Integer.BYTES + Short.BYTES);
  }

  /** Returns the number of records. */
  static int count(ByteBuf records) {
    int count = 0;
    for (int at = records.readerIndex(); at < records.writerIndex(); at += records.getInt(at)) {
      count++;
    }
    return count;
  }

  /** Returns the index of the last record. */
  static int last(ByteBuf records) {
    int at = records.readerIndex();
    while (at + records.getInt(at) < records.writerIndex()) {
      at += records.getInt(at);
    }
    return at;
  }

  /** Returns the position of the record at an index. */
  static String position(ByteBuf records, int at) {
    int positionLength = records.getShort(at + Integer.BYTES);
    return records.toString(
        at + RecordFormat.HEAD_BYTES, positionLength, StandardCharsets.US_ASCII);
  }

  /** Returns whether the record at an index has a position, without an allocation. */
  static boolean hasPosition(ByteBuf records, int at, String position) {
    if (records.getShort(at + Integer.BYTES) != position.length()) {
      return false;
    }
    for (int i = 0; i < position.length(); i++) {
      if (records.getByte(at + RecordFormat.HEAD_BYTES + i) != position.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Moves the reader's index behind the record. */
  void pass() {
    buffer.readerIndex(start + length);
  }

  /** Returns the position behind the message. */
  String position() {
    return position(buffer, start);
  }

  /** Returns the bytes of the payload. */
  int payloadBytes() {
    return start + length - payloadStart();
  }

  private int payloadStart() {
    return start + RecordFormat.HEAD_BYTES + positionLength + topicLength;
  }

  private byte[] payload() {
    return ByteBufUtil.getBytes(buffer, payloadStart(), payloadBytes());
  }

  /** Writes the payload as it is. */
  void writePayload(ByteBuf out) {
    out.writeBytes(buffer, payloadStart(), payloadBytes());
  }

  /** Writes the element of an array: the payload, or an object with its topic and the payload. */
  void writeElement(ByteBuf out) {
    if (topicLength > 0) {
      int topic = start + RecordFormat.HEAD_BYTES + positionLength;
      out.writeBytes(TOPIC).writeBytes(buffer, topic, topicLength).writeBytes(PAYLOAD);
    }
    switch (Form.at(buffer.getByte(start + RecordFormat.HEAD_BYTES - 1))) {
      case JSON -> writePayload(out);
      case TEXT -> writeString(payload(), out);
      case BYTES ->
          out.writeByte('"').writeBytes(Base64.getEncoder().encode(payload())).writeByte('"');
      case NONE -> out.writeBytes(NULL);
    }
    if (topicLength > 0) {
      out.writeByte('}');
    }
  }

  private static void writeString(byte[] utf8, ByteBuf out) {
    byte[] escaped = new byte[JsonText.MAX_ESCAPED * Math.min(CHUNK, utf8.length)];
    out.writeByte('"');
    for (int from = 0; from < utf8.length; from += CHUNK) {
      int to = Math.min(utf8.length, from + CHUNK);
      out.writeBytes(escaped, 0, JsonText.escape(utf8, from, to, escaped));
    }
    out.writeByte('"');
  }
}
