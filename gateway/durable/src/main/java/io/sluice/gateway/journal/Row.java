package io.sluice.gateway.journal;

import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.store.StoredMessage;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Database row of a message: its position, and a record that begins with a checksum over all of it.
 * The checksum detects corruption: SQLite has checksums only in its write-ahead log. Immutable and
 * safe for any thread.
 */
record Row(LogPosition position, byte[] record) {
  /** Approximate bytes of a row in addition to its record. */
  private static final int ROW_BYTES = 24;

  /** Bytes of the checksum, the arrival and the kind. */
  private static final int HEAD = Integer.BYTES + Long.BYTES + Byte.BYTES;

  /** Bytes after the head of identity, time, and the lengths of topic, properties and key. */
  private static final int FIXED = 2 * Long.BYTES + 3 * Integer.BYTES;

  private static final int NONE = -1;
  private static final int EXPIRES = 0x80;
  private static final byte GAP = 0x40;
  private static final byte NOT_PERSISTENT = 0x20;
  private static final byte KIND = 0x1f;
  private static final PayloadKind[] KINDS = PayloadKind.values();
  private static final GapReason[] GAP_REASONS = GapReason.values();

  /** Encodes an entry at a position. */
  static Row of(LogPosition position, StoredMessage stored) {
    ByteBuffer out = stored.message() == null ? gap(stored) : message(stored);
    out.putInt(0, checksum(position, out.array()));
    return new Row(position, out.array());
  }

  private static ByteBuffer gap(StoredMessage stored) {
    ByteBuffer out = ByteBuffer.allocate(HEAD).position(Integer.BYTES);
    return out.putLong(stored.arrivalMs()).put((byte) (GAP | stored.gapReason().ordinal()));
  }

  private static ByteBuffer message(StoredMessage stored) {
    Message message = stored.message();
    byte[] topic = message.topic().getBytes(StandardCharsets.UTF_8);
    byte[] key = message.key() == null ? null : message.key().getBytes(StandardCharsets.UTF_8);
    int variable =
        topic.length + length(message.properties()) + length(key) + message.payload().length;
    boolean expires = message.expiresMs() != Message.NO_EXPIRY;
    int head = HEAD + (expires ? Long.BYTES : 0);
    ByteBuffer out = ByteBuffer.allocate(head + FIXED + variable).position(Integer.BYTES);
    int kind = message.kind().ordinal() | (stored.persistent() ? 0 : NOT_PERSISTENT);
    out.putLong(stored.arrivalMs()).put((byte) (expires ? kind | EXPIRES : kind));
    if (expires) {
      out.putLong(message.expiresMs());
    }
    out.putLong(message.identity()).putLong(message.timeMs());
    put(out, topic);
    put(out, message.properties());
    put(out, key);
    return out.put(message.payload());
  }

  private static int length(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  private static void put(ByteBuffer out, byte[] bytes) {
    out.putInt(bytes == null ? NONE : bytes.length);
    if (bytes != null) {
      out.put(bytes);
    }
  }

  /** Returns the bytes accounted for this row. */
  int size() {
    return record.length + ROW_BYTES;
  }

  /** Returns the position after this row. */
  LogPosition next() {
    return position.after(size());
  }

  /** Decodes the entry after a check of the record. */
  StoredMessage message() throws CorruptLog {
    check();
    try {
      ByteBuffer in = ByteBuffer.wrap(record).position(Integer.BYTES);
      long arrivalMs = in.getLong();
      byte kind = in.get();
      if ((kind & GAP) != 0) {
        return StoredMessage.gap(position.offset(), arrivalMs, GAP_REASONS[kind & KIND]);
      }
      boolean persistent = (kind & NOT_PERSISTENT) == 0;
      long expiresMs = (kind & EXPIRES) == 0 ? Message.NO_EXPIRY : in.getLong();
      Message message = message(in, KINDS[kind & KIND]).expiring(expiresMs);
      return new StoredMessage(position.offset(), arrivalMs, message, null, persistent);
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalStateException(
          "record at offset " + position.offset() + " cannot be decoded despite a valid checksum",
          e);
    }
  }

  private static Message message(ByteBuffer in, PayloadKind kind) {
    long identity = in.getLong();
    long timeMs = in.getLong();
    String topic = text(bytes(in));
    byte[] properties = bytes(in);
    String key = text(bytes(in));
    byte[] payload = new byte[in.remaining()];
    in.get(payload);
    return new Message(topic, identity, timeMs, kind, payload, properties, key);
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /** Verifies the checksum of the record. */
  void check() throws CorruptLog {
    if (record.length < HEAD || ByteBuffer.wrap(record).getInt(0) != checksum(position, record)) {
      throw new CorruptLog("the message at offset " + position.offset() + " is corrupt");
    }
  }

  private static byte[] bytes(ByteBuffer in) {
    int length = in.getInt();
    if (length == NONE) {
      return null;
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private static int checksum(LogPosition position, byte[] record) {
    CRC32C crc = new CRC32C();
    crc.update(
        Checksum.bytes(
            position.offset(), position.ordinal(), position.bytes(), position.arrivalMs()));
    crc.update(record, Integer.BYTES, record.length - Integer.BYTES);
    return (int) crc.getValue();
  }
}
