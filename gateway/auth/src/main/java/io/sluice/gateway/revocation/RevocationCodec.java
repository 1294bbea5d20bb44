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
 * Binary codec of {@link RevocationMessage}s: the channel, a kind, then the fields. Stateless, for
 * any thread.
 *
 * <p>Nodes of several versions coexist during a rolling upgrade. A reader ignores unknown kinds of
 * messages and of revocations.
 */
final class RevocationCodec {
  /** First byte; the messages of presence begin with 1. */
  static final int CHANNEL = 2;

  /** Maximum bytes of the revocations in one message, except for a single one. */
  static final int MAX_BYTES = 8 * 1024;

  private static final int ORDER = 1;
  private static final int DIGEST = 2;
  private static final int REQUEST = 3;
  private static final int ENTRIES = 4;

  private RevocationCodec() {}

  /** Message of another node that cannot be decoded. */
  static final class MalformedRevocations extends Exception {
    private static final long serialVersionUID = 1;

    MalformedRevocations(String what) {
      super(what);
    }
  }

  /** Writer of the fields of a message. */
  @FunctionalInterface
  private interface Content {
    void writeTo(DataOutputStream out) throws IOException;
  }

  private static byte[] message(int kind, Content content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeByte(CHANNEL);
      out.writeByte(kind);
      content.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  static byte[] encode(RevocationMessage message) {
    if (message instanceof RevocationMessage.Order order) {
      return message(ORDER, out -> write(out, order.revocation()));
    }
    if (message instanceof RevocationMessage.Digest digest) {
      return message(DIGEST, out -> out.writeLong(digest.total()));
    }
    if (message instanceof RevocationMessage.Request request) {
      return message(REQUEST, out -> write(out, request));
    }
    return message(ENTRIES, out -> write(out, (RevocationMessage.Entries) message));
  }

  private static void write(DataOutputStream out, RevocationMessage.Request request)
      throws IOException {
    out.writeInt(request.from());
    for (long hash : request.hashes()) {
      out.writeLong(hash);
    }
  }

  private static void write(DataOutputStream out, RevocationMessage.Entries entries)
      throws IOException {
    out.writeInt(entries.next());
    for (Revocation each : entries.revocations()) {
      write(out, each);
    }
  }

  private static void write(DataOutputStream out, Revocation revocation) throws IOException {
    out.writeUTF(revocation.kind().word());
    out.writeUTF(revocation.value());
    out.writeLong(revocation.sinceMs());
    out.writeLong(revocation.untilMs());
    out.writeLong(revocation.removedMs());
  }

  /** Returns an upper bound of the bytes of a revocation. */
  static int size(Revocation revocation) {
    return 16 + 3 * revocation.value().length() + 3 * Long.BYTES;
  }

  /**
   * Decodes a message.
   *
   * @return null for an unknown kind
   */
  static RevocationMessage decode(byte[] bytes) throws MalformedRevocations {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      if (in.readUnsignedByte() != CHANNEL) {
        return null;
      }
      return switch (in.readUnsignedByte()) {
        case ORDER -> order(in);
        case DIGEST -> new RevocationMessage.Digest(in.readLong());
        case REQUEST -> request(in);
        case ENTRIES -> entries(in);
        default -> null;
      };
    } catch (IOException | IllegalArgumentException e) {
      throw new MalformedRevocations(bytes.length + " bytes of revocations: " + e);
    }
  }

  private static RevocationMessage order(DataInputStream in) throws IOException {
    Revocation ordered = readRevocation(in);
    return ordered == null ? null : new RevocationMessage.Order(ordered);
  }

  private static RevocationMessage request(DataInputStream in) throws IOException {
    int from = in.readInt();
    if (from < 0 || from >= RevocationDigest.BUCKETS) {
      throw new IOException("no part " + from);
    }
    long[] hashes = new long[RevocationDigest.BUCKETS];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = in.readLong();
    }
    return new RevocationMessage.Request(from, hashes);
  }

  private static RevocationMessage entries(DataInputStream in) throws IOException {
    int next = in.readInt();
    if (next < RevocationMessage.Entries.MORE || next > RevocationDigest.BUCKETS) {
      throw new IOException("no part " + next);
    }
    List<Revocation> revocations = new ArrayList<>();
    while (in.available() > 0) {
      Revocation read = readRevocation(in);
      if (read != null) {
        revocations.add(read);
      }
    }
    return new RevocationMessage.Entries(next, revocations);
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
