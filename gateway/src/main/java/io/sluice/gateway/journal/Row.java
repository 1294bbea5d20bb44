package io.sluice.gateway.journal;

import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * A message as the database holds it: its mark, and the rest as bytes that begin with a checksum
 * over all. The database has checksums only for what it has written last, so this is what tells
 * damage from data. Immutable, for any thread.
 */
record Row(Mark mark, byte[] record) {
  /** Bytes that a row costs beside its record, about. */
  private static final int ROW_BYTES = 24;

  /** The checksum, the arrival and the kind. */
  private static final int HEAD = Integer.BYTES + Long.BYTES + Byte.BYTES;

  /** Beside the head: identity, time, and the lengths of topic, properties and key. */
  private static final int FIXED = 2 * Long.BYTES + 3 * Integer.BYTES;

  private static final int NONE = -1;
  private static final byte LOSS = 0x40;
  private static final byte NOT_PERSISTENT = 0x20;
  private static final byte KIND = 0x1f;
  private static final PayloadKind[] KINDS = PayloadKind.values();
  private static final GapReason[] LOSSES = GapReason.values();

  /** The row of an entry at the place {@code mark}. */
  static Row of(Mark mark, StoredMessage stored) {
    ByteBuffer out = stored.message() == null ? loss(stored) : message(stored);
    out.putInt(0, checksum(mark, out.array()));
    return new Row(mark, out.array());
  }

  private static ByteBuffer loss(StoredMessage stored) {
    ByteBuffer out = ByteBuffer.allocate(HEAD).position(Integer.BYTES);
    return out.putLong(stored.arrivalMs()).put((byte) (LOSS | stored.loss().ordinal()));
  }

  private static ByteBuffer message(StoredMessage stored) {
    Message message = stored.message();
    byte[] topic = message.topic().getBytes(StandardCharsets.UTF_8);
    byte[] key = message.key() == null ? null : message.key().getBytes(StandardCharsets.UTF_8);
    int variable =
        topic.length + length(message.properties()) + length(key) + message.payload().length;
    ByteBuffer out = ByteBuffer.allocate(HEAD + FIXED + variable).position(Integer.BYTES);
    int kind = message.kind().ordinal() | (stored.persistent() ? 0 : NOT_PERSISTENT);
    out.putLong(stored.arrivalMs()).put((byte) kind);
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

  /** Bytes that the row counts for. */
  int size() {
    return record.length + ROW_BYTES;
  }

  /** The mark behind this row. */
  Mark next() {
    return mark.after(size());
  }

  /** The entry, if the bytes are those that were written. */
  StoredMessage message() throws DamagedLog {
    check();
    try {
      ByteBuffer in = ByteBuffer.wrap(record).position(Integer.BYTES);
      long arrivalMs = in.getLong();
      byte kind = in.get();
      if ((kind & LOSS) != 0) {
        return StoredMessage.loss(mark.offset(), arrivalMs, LOSSES[kind & KIND]);
      }
      boolean persistent = (kind & NOT_PERSISTENT) == 0;
      return new StoredMessage(
          mark.offset(), arrivalMs, message(in, KINDS[kind & KIND]), null, persistent);
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalStateException("a checked record that cannot be read", e);
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

  /** Compares the bytes with their checksum. */
  void check() throws DamagedLog {
    if (record.length < HEAD || ByteBuffer.wrap(record).getInt(0) != checksum(mark, record)) {
      throw new DamagedLog("the message at offset " + mark.offset() + " is damaged");
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

  private static int checksum(Mark mark, byte[] record) {
    CRC32C crc = new CRC32C();
    crc.update(Checksum.bytes(mark.offset(), mark.ordinal(), mark.bytes(), mark.arrivalMs()));
    crc.update(record, Integer.BYTES, record.length - Integer.BYTES);
    return (int) crc.getValue();
  }
}
