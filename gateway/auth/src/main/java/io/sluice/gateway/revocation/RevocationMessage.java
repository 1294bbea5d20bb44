package io.sluice.gateway.revocation;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Message about revocations between two nodes. Immutable, for any thread.
 *
 * <p>Nodes of several versions coexist during a rolling upgrade. A reader ignores unknown kinds of
 * messages and of revocations.
 *
 * @param number of a digest, the hash of the sender's set; of a request, the first part that is
 *     requested; of entries, the part that the next request begins with
 * @param hashes of a request, the sender's hashes of all parts; otherwise empty
 * @param revocations of an order or entries; otherwise empty
 */
record RevocationMessage(Kind kind, long number, long[] hashes, List<Revocation> revocations) {
  /** First byte of all messages. */
  static final int CHANNEL = 2;

  /** Maximum bytes of the revocations in one message, except for a single one. */
  static final int MAX_BYTES = 8 * 1024;

  /** Number of entries of which another piece of the same reply follows. */
  static final int MORE = -1;

  private static final long[] NO_HASHES = {};
  private static final Kind[] KINDS = Kind.values();

  /** Kinds in the order of their encoding. */
  enum Kind {
    /** Command of an operator, sent to all nodes at once: one revocation that is new or removed. */
    ORDER,
    /** Hash of the sender's set; 0 for the empty one. */
    DIGEST,
    /** Request for the receiver's revocations in parts that differ from those of the sender. */
    REQUEST,
    /** Piece of the reply to a request. */
    ENTRIES
  }

  static RevocationMessage order(Revocation revocation) {
    return new RevocationMessage(Kind.ORDER, 0, NO_HASHES, List.of(revocation));
  }

  static RevocationMessage digest(long total) {
    return new RevocationMessage(Kind.DIGEST, total, NO_HASHES, List.of());
  }

  static RevocationMessage request(int from, long[] hashes) {
    return new RevocationMessage(Kind.REQUEST, from, hashes, List.of());
  }

  /**
   * Returns a piece of a reply.
   *
   * @param next {@link #MORE}, or the number of parts if the reply is complete
   */
  static RevocationMessage entries(int next, List<Revocation> revocations) {
    return new RevocationMessage(Kind.ENTRIES, next, NO_HASHES, revocations);
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeByte(CHANNEL);
      out.writeByte(kind.ordinal());
      out.writeLong(number);
      out.writeShort(hashes.length);
      for (long hash : hashes) {
        out.writeLong(hash);
      }
      for (Revocation each : revocations) {
        out.writeUTF(each.kind().word());
        out.writeUTF(each.value());
        out.writeLong(each.sinceMs());
        out.writeLong(each.untilMs());
        out.writeLong(each.removedMs());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  /** Returns an upper bound of the bytes of a revocation. */
  static int size(Revocation revocation) {
    return 16 + 3 * revocation.value().length() + 3 * Long.BYTES;
  }

  /**
   * Decodes a message; fails if it is malformed.
   *
   * @return null for an unknown kind
   */
  static RevocationMessage decode(byte[] bytes) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      if (in.readUnsignedByte() != CHANNEL) {
        return null;
      }
      int kind = in.readUnsignedByte();
      return kind < KINDS.length ? read(KINDS[kind], in) : null;
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(bytes.length + " bytes of revocations: " + e, e);
    }
  }

  private static RevocationMessage read(Kind kind, DataInputStream in) throws IOException {
    long number = in.readLong();
    long[] hashes = new long[in.readUnsignedShort()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = in.readLong();
    }
    int parts = RevocationDigest.BUCKETS;
    boolean isRequest = kind == Kind.REQUEST;
    if (isRequest && (number < 0 || number >= parts || hashes.length != parts)
        || kind == Kind.ENTRIES && (number < MORE || number > parts)) {
      throw new IOException("no part " + number + " of " + hashes.length);
    }
    if (kind == Kind.ORDER && in.available() == 0) {
      throw new IOException("an order without a revocation");
    }
    List<Revocation> revocations = new ArrayList<>();
    while (in.available() > 0) {
      Revocation read = readRevocation(in);
      if (read != null) {
        revocations.add(read);
      }
    }
    return kind == Kind.ORDER && revocations.isEmpty()
        ? null
        : new RevocationMessage(kind, number, hashes, revocations);
  }

  /** Returns null for an unknown kind of a later version. */
  private static Revocation readRevocation(DataInputStream in) throws IOException {
    Revocation.Kind kind = Revocation.Kind.of(in.readUTF());
    String value = in.readUTF();
    long sinceMs = in.readLong();
    long untilMs = in.readLong();
    long removedMs = in.readLong();
    return kind == null ? null : new Revocation(kind, value, sinceMs, untilMs, removedMs);
  }
}
