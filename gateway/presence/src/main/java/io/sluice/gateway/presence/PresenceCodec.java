package io.sluice.gateway.presence;

import io.sluice.cluster.replica.EntryCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Binary codec of replicated members. Bound to the presence thread. */
final class PresenceCodec implements EntryCodec<PresenceKey, PresenceEntry> {
  /** First byte of all messages. */
  static final int CHANNEL = 4;

  private static final int OWNER = 1;
  private static final int COUNT = 2;
  private static final int LISTED = 3;
  private static final int WATCH = 4;

  /** Maximum characters of a subject, or of info, that a linked node may send. */
  private static final int MAX_LINKED = 2_048;

  private static final int MAX = 65_535;

  private final int maxText;

  PresenceCodec() {
    this(MAX);
  }

  private PresenceCodec(int maxText) {
    this.maxText = maxText;
  }

  /** Creates the codec of links, whose nodes may be less honest than those of the cluster. */
  static PresenceCodec ofLinks() {
    return new PresenceCodec(MAX_LINKED);
  }

  /** Topic of the latest key, which the keys of its other members share. */
  private String topic = "";

  /** Writer of a key or value. */
  @FunctionalInterface
  private interface Content {
    void writeTo(DataOutputStream out) throws IOException;
  }

  /** Reader of a key or value. */
  @FunctionalInterface
  private interface Reader<T> {
    T readFrom(DataInputStream in) throws IOException;
  }

  private static byte[] bytes(Content content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      content.writeTo(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  private static <T> T read(byte[] bytes, Reader<T> reader) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      return reader.readFrom(in);
    } catch (IOException e) {
      throw new IllegalArgumentException(e.toString(), e);
    }
  }

  @Override
  public byte[] encodeKey(PresenceKey key) {
    return bytes(
        out -> {
          out.writeUTF(key.topic());
          out.writeUTF(key.id());
        });
  }

  @Override
  public PresenceKey decodeKey(byte[] bytes) {
    return read(
        bytes,
        in -> {
          String next = in.readUTF();
          topic = next.equals(topic) ? topic : next;
          return new PresenceKey(topic, in.readUTF());
        });
  }

  @Override
  public byte[] encodeValue(PresenceEntry entry) {
    return bytes(
        out -> {
          if (entry instanceof PresenceEntry.Owner owner) {
            out.writeByte(OWNER);
            out.writeUTF(owner.name());
            out.writeBoolean(owner.incomplete());
          } else if (entry instanceof PresenceEntry.Count count) {
            out.writeByte(COUNT);
            out.writeInt(count.members());
          } else if (entry instanceof PresenceEntry.Watch watch) {
            out.writeByte(WATCH);
            out.writeByte(watch.ordinal());
          } else {
            PresenceEntry.Listed listed = (PresenceEntry.Listed) entry;
            out.writeByte(LISTED);
            out.writeUTF(listed.subject());
            out.writeUTF(listed.info() == null ? "" : listed.info());
          }
        });
  }

  @Override
  public PresenceEntry decodeValue(byte[] bytes) {
    return read(
        bytes,
        in ->
            switch (in.readUnsignedByte()) {
              case OWNER -> new PresenceEntry.Owner(in.readUTF(), in.readBoolean());
              case COUNT -> new PresenceEntry.Count(Math.max(0, in.readInt()));
              case LISTED -> readListed(in);
              case WATCH -> PresenceEntry.Watch.values()[Math.min(2, in.readUnsignedByte())];
              default -> throw new IOException("unknown entry");
            });
  }

  private PresenceEntry readListed(DataInputStream in) throws IOException {
    String subject = in.readUTF();
    String info = in.readUTF();
    if (subject.length() > maxText || info.length() > maxText) {
      throw new IOException("a text of a member has over " + maxText + " characters");
    }
    return new PresenceEntry.Listed(subject, info.isEmpty() ? null : info);
  }
}
