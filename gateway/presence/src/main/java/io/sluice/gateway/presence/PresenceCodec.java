package io.sluice.gateway.presence;

import io.sluice.cluster.replica.EntryCodec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

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

  @Override
  public void writeKey(PresenceKey key, DataOutputStream out) throws IOException {
    out.writeUTF(key.topic());
    out.writeUTF(key.id());
  }

  @Override
  public PresenceKey readKey(DataInputStream in) throws IOException {
    String next = in.readUTF();
    topic = next.equals(topic) ? topic : next;
    return new PresenceKey(topic, in.readUTF());
  }

  @Override
  public void writeValue(PresenceEntry entry, DataOutputStream out) throws IOException {
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
  }

  @Override
  public PresenceEntry readValue(DataInputStream in) throws IOException {
    return switch (in.readUnsignedByte()) {
      case OWNER -> new PresenceEntry.Owner(in.readUTF(), in.readBoolean());
      case COUNT -> new PresenceEntry.Count(Math.max(0, in.readInt()));
      case LISTED -> readListed(in);
      case WATCH -> PresenceEntry.Watch.values()[Math.min(2, in.readUnsignedByte())];
      default -> throw new IOException("unknown entry");
    };
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
