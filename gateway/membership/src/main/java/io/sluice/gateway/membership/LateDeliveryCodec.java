package io.sluice.gateway.membership;

import io.sluice.gateway.hub.LateDelivery;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Binary codec of late deliveries: the channel, a kind, the broker's site, then records up to the
 * end. Stateless, for any thread.
 *
 * <p>Nodes of several versions coexist during a rolling upgrade. A reader ignores unknown kinds.
 */
final class LateDeliveryCodec {
  /** First byte of all messages. */
  static final int CHANNEL = 3;

  /** Maximum bytes of the records in one message, except for a single one. */
  static final int MAX_BYTES = 8 * 1024;

  private static final int RECORDS = 1;
  private static final int REQUEST = 2;

  private LateDeliveryCodec() {}

  /**
   * Message of another node.
   *
   * @param site checksum of the name of the broker's site
   * @param records null if all recent ones are requested
   */
  record Decoded(int site, List<LateDelivery> records) {}

  static byte[] request(int site) {
    return message(REQUEST, site, List.of());
  }

  /** Encodes records as messages of limited size. */
  static List<byte[]> records(int site, Iterable<LateDelivery> all) {
    List<byte[]> messages = new ArrayList<>();
    List<LateDelivery> piece = new ArrayList<>();
    int bytes = 0;
    for (LateDelivery late : all) {
      int size = size(late);
      if (!piece.isEmpty() && bytes + size > MAX_BYTES) {
        messages.add(message(RECORDS, site, piece));
        piece.clear();
        bytes = 0;
      }
      piece.add(late);
      bytes += size;
    }
    if (!piece.isEmpty()) {
      messages.add(message(RECORDS, site, piece));
    }
    return messages;
  }

  /** Returns an upper bound of the bytes of a record. */
  private static int size(LateDelivery late) {
    return 4 + 3 * late.topic().length() + (3 + late.ids().size()) * Long.BYTES;
  }

  private static byte[] message(int kind, int site, List<LateDelivery> records) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeByte(CHANNEL);
      out.writeByte(kind);
      out.writeInt(site);
      for (LateDelivery late : records) {
        out.writeUTF(late.topic());
        out.writeLong(late.sentMs());
        out.writeLong(late.deliveredMs());
        out.writeLong(late.delayMs());
        out.writeShort(late.ids().size());
        for (long id : late.ids()) {
          out.writeLong(id);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  /**
   * Decodes a message; fails if it is malformed.
   *
   * @return null for an unknown kind
   */
  static Decoded decode(byte[] message) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(message))) {
      in.readByte();
      int kind = in.readUnsignedByte();
      if (kind != RECORDS && kind != REQUEST) {
        return null;
      }
      int site = in.readInt();
      List<LateDelivery> records = new ArrayList<>();
      while (in.available() > 0) {
        records.add(decode(in));
      }
      return new Decoded(site, kind == REQUEST ? null : records);
    }
  }

  private static LateDelivery decode(DataInputStream in) throws IOException {
    String topic = in.readUTF();
    long sentMs = in.readLong();
    long deliveredMs = in.readLong();
    long delayMs = in.readLong();
    List<Long> ids = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      ids.add(in.readLong());
    }
    if (topic.isEmpty() || sentMs > deliveredMs || delayMs < 0) {
      throw new IOException("inconsistent record of late deliveries");
    }
    return new LateDelivery(topic, ids, sentMs, deliveredMs, delayMs);
  }
}
