package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Binary codec of {@link PresenceMessage}s: a version, a kind, fixed fields, then changes of topics
 * up to the end. Stateless, for any thread.
 *
 * <p>Nodes of several versions coexist during a rolling upgrade. A reader ignores messages of other
 * versions and kinds; their sender then counts as a node without presence.
 */
final class PresenceCodec {
  /** Maximum bytes of the changes in one message. */
  static final int MAX_BYTES = 8 * 1024;

  static final int CHANNEL = 1;
  private static final int CHANGE = 1;
  private static final int REQUEST = 2;
  private static final int STATE = 3;
  private static final int FAREWELL = 4;
  private static final int LISTED = 1;
  private static final int RESET = 2;

  private PresenceCodec() {}

  /** Message of another node that cannot be decoded. */
  static final class MalformedPresence extends Exception {
    private static final long serialVersionUID = 1;

    MalformedPresence(String what) {
      super(what);
    }
  }

  /** Writer of a part of a message. */
  @FunctionalInterface
  private interface Content {
    void writeTo(DataOutputStream out) throws IOException;
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

  private static byte[] message(int kind, Content content) {
    return bytes(
        out -> {
          out.writeByte(CHANNEL);
          out.writeByte(kind);
          content.writeTo(out);
        });
  }

  /**
   * Encodes a change.
   *
   * @param topics encoded changes of topics, one after the other
   */
  static byte[] change(String node, long base, long revision, byte[] topics) {
    return message(
        CHANGE,
        out -> {
          out.writeUTF(node);
          out.writeLong(base);
          out.writeLong(revision);
          out.write(topics);
        });
  }

  static byte[] request() {
    return message(REQUEST, out -> {});
  }

  /**
   * Encodes a part of the state.
   *
   * @param topics encoded changes of topics, one after the other
   */
  static byte[] state(String node, long revision, int index, boolean last, byte[] topics) {
    return message(
        STATE,
        out -> {
          out.writeUTF(node);
          out.writeLong(revision);
          out.writeInt(index);
          out.writeBoolean(last);
          out.write(topics);
        });
  }

  static byte[] farewell() {
    return message(FAREWELL, out -> {});
  }

  /** Encodes the change of one topic. */
  static byte[] topic(PresenceChange change) {
    return bytes(
        out -> {
          out.writeUTF(change.topic());
          out.writeInt(change.count());
          out.writeByte((change.listed() ? LISTED : 0) | (change.reset() ? RESET : 0));
          out.writeShort(change.joined().size());
          for (PresenceMember member : change.joined()) {
            write(out, member);
          }
          out.writeShort(change.left().size());
          for (String id : change.left()) {
            out.writeUTF(id);
          }
        });
  }

  private static void write(DataOutputStream out, PresenceMember member) throws IOException {
    out.writeUTF(member.id());
    out.writeUTF(member.subject());
    out.writeUTF(member.info() == null ? "" : member.info());
  }

  /** Returns an upper bound of the bytes of a member. */
  static int size(PresenceMember member) {
    int info = member.info() == null ? 0 : member.info().length();
    return 3 * (member.id().length() + member.subject().length() + info) + 6;
  }

  /**
   * Decodes a message.
   *
   * @return null for an unknown version or kind
   */
  static PresenceMessage decode(byte[] bytes) throws MalformedPresence {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      if (in.readUnsignedByte() != CHANNEL) {
        return null;
      }
      return switch (in.readUnsignedByte()) {
        case CHANGE ->
            new PresenceMessage.Change(in.readUTF(), in.readLong(), in.readLong(), topics(in));
        case REQUEST -> new PresenceMessage.Request();
        case STATE ->
            new PresenceMessage.State(
                in.readUTF(), in.readLong(), in.readInt(), in.readBoolean(), topics(in));
        case FAREWELL -> new PresenceMessage.Farewell();
        default -> null;
      };
    } catch (IOException e) {
      throw new MalformedPresence(bytes.length + " bytes of presence: " + e);
    }
  }

  private static List<PresenceChange> topics(DataInputStream in) throws IOException {
    List<PresenceChange> topics = new ArrayList<>();
    while (in.available() > 0) {
      topics.add(readTopic(in));
    }
    return topics;
  }

  private static PresenceChange readTopic(DataInputStream in) throws IOException {
    String topic = in.readUTF();
    int count = in.readInt();
    if (count < 0) {
      throw new IOException("negative count");
    }
    int flags = in.readUnsignedByte();
    List<PresenceMember> joined = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      joined.add(readMember(in));
    }
    List<String> left = new ArrayList<>();
    for (int ids = in.readUnsignedShort(); ids > 0; ids--) {
      left.add(in.readUTF());
    }
    boolean listed = (flags & LISTED) != 0;
    return new PresenceChange(topic, count, listed, (flags & RESET) != 0, joined, left);
  }

  private static PresenceMember readMember(DataInputStream in) throws IOException {
    String id = in.readUTF();
    String subject = in.readUTF();
    String info = in.readUTF();
    return new PresenceMember(id, subject, info.isEmpty() ? null : info);
  }
}
