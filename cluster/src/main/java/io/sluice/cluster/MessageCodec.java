package io.sluice.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Binary codec of {@link ClusterMessage}s: a version, a kind, then fields of tag, length and value.
 * Numbers are big-endian. Stateless, for any thread.
 *
 * <p>Nodes of several versions coexist during a rolling upgrade. Therefore a reader skips unknown
 * tags and kinds, and uses a default for missing ones. A tag never changes its meaning. The version
 * changes only if that is not enough.
 */
final class MessageCodec {
  /** Message of another node that cannot be decoded. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1;

    Malformed(String what) {
      super(what);
    }
  }

  /** Largest message that is decoded. */
  static final int MAX_BYTES = 16 * 1024;

  static final int MAX_NAME_BYTES = 255;
  static final int MAX_URL_BYTES = 2048;

  /** Longer names of topics are omitted. */
  static final int MAX_TOPIC_BYTES = 1024;

  private static final byte VERSION = 1;
  private static final byte STATUS = 1;
  private static final byte CONTENT = 7;
  private static final byte TOPICS = 8;

  private static final byte NAME = 1;
  private static final byte INCARNATION = 2;
  private static final byte NUMBER = 3;
  private static final byte PUBLIC_URL = 4;
  private static final byte ADMIN_URL = 5;
  private static final byte SOFTWARE = 6;
  private static final byte STATE = 7;
  private static final byte SINCE = 8;
  private static final byte CONNECTIONS = 9;
  private static final byte MOVABLE = 10;
  private static final byte MESSAGE_RATE = 11;
  private static final byte CPU = 12;
  private static final byte LOOP_LAG = 13;
  private static final byte CAPACITY = 22;
  private static final byte BYTES = 23;

  private MessageCodec() {}

  /** Encodes a message, whose texts must be within the limits. */
  static byte[] encode(ClusterMessage message) {
    if (message instanceof ClusterMessage.Status status) {
      return status(status);
    }
    if (message instanceof ClusterMessage.Topics topics) {
      return new Writer(TOPICS).raw(BYTES, topics.bytes()).bytes();
    }
    return new Writer(CONTENT).raw(BYTES, ((ClusterMessage.Content) message).bytes()).bytes();
  }

  private static byte[] status(ClusterMessage.Status status) {
    Node node = status.node();
    Load load = node.load();
    return new Writer(STATUS)
        .text(NAME, node.id())
        .number(INCARNATION, node.incarnation())
        .number(NUMBER, status.number())
        .text(PUBLIC_URL, node.publicUrl())
        .text(ADMIN_URL, node.adminUrl())
        .text(SOFTWARE, node.version())
        .number(STATE, node.state().code())
        .number(SINCE, node.sinceMs())
        .number(CAPACITY, node.capacity())
        .number(CONNECTIONS, load.connections())
        .number(MOVABLE, load.movable())
        .figure(MESSAGE_RATE, load.messageRate())
        .figure(CPU, load.cpu())
        .figure(LOOP_LAG, load.loopLagMs())
        .bytes();
  }

  /** Decodes a message; returns empty for an unknown kind of a later version. */
  static Optional<ClusterMessage> decode(byte[] bytes, int offset, int length) throws Malformed {
    if (length < 2 || length > MAX_BYTES) {
      throw new Malformed("message of " + length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, offset, length);
    byte version = in.get();
    if (version != VERSION) {
      throw new Malformed("unknown version " + version);
    }
    byte kind = in.get();
    Fields fields = Fields.read(in);
    return switch (kind) {
      case STATUS -> Optional.of(status(fields));
      case TOPICS -> Optional.of(new ClusterMessage.Topics(fields.raw(BYTES)));
      case CONTENT -> Optional.of(new ClusterMessage.Content(fields.raw(BYTES)));
      default -> Optional.empty();
    };
  }

  private static ClusterMessage status(Fields fields) throws Malformed {
    String name = fields.text(NAME, MAX_NAME_BYTES);
    if (name.isEmpty()) {
      throw new Malformed("status without a name");
    }
    Node node =
        new Node(
            name,
            fields.number(INCARNATION),
            fields.text(PUBLIC_URL, MAX_URL_BYTES),
            fields.text(ADMIN_URL, MAX_URL_BYTES),
            fields.text(SOFTWARE, MAX_NAME_BYTES),
            NodeState.of(fields.small(STATE)),
            fields.number(SINCE),
            load(fields),
            fields.small(CAPACITY));
    return new ClusterMessage.Status(node, fields.number(NUMBER));
  }

  private static Load load(Fields fields) throws Malformed {
    try {
      return new Load(
          fields.small(CONNECTIONS),
          fields.small(MOVABLE),
          fields.figure(MESSAGE_RATE),
          fields.figure(CPU),
          fields.figure(LOOP_LAG));
    } catch (IllegalArgumentException e) {
      throw new Malformed(e.getMessage());
    }
  }

  /** Returns the bytes of a text without its tag and length. */
  static int size(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Writer of the fields of one message. */
  private static final class Writer {
    private final ByteBuffer out = ByteBuffer.allocate(MAX_BYTES);

    Writer(byte kind) {
      out.put(VERSION).put(kind);
    }

    Writer number(byte tag, long value) {
      out.put(tag).putShort((short) Long.BYTES).putLong(value);
      return this;
    }

    Writer figure(byte tag, double value) {
      return number(tag, Double.doubleToLongBits(value));
    }

    Writer text(byte tag, String value) {
      return raw(tag, value.getBytes(StandardCharsets.UTF_8));
    }

    Writer raw(byte tag, byte[] value) {
      out.put(tag).putShort((short) value.length).put(value);
      return this;
    }

    byte[] bytes() {
      byte[] bytes = new byte[out.position()];
      out.flip().get(bytes);
      return bytes;
    }
  }

  /** Fields of one message in their order, including unknown tags. */
  private record Fields(List<Field> all) {
    private record Field(byte tag, ByteBuffer value) {}

    static Fields read(ByteBuffer in) throws Malformed {
      List<Field> all = new ArrayList<>();
      while (in.hasRemaining()) {
        if (in.remaining() < 1 + Short.BYTES) {
          throw new Malformed("truncated field");
        }
        byte tag = in.get();
        int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining()) {
          throw new Malformed("field " + tag + " is truncated");
        }
        all.add(new Field(tag, in.slice(in.position(), length)));
        in.position(in.position() + length);
      }
      return new Fields(all);
    }

    long number(byte tag) throws Malformed {
      for (Field field : all) {
        if (field.tag == tag) {
          if (field.value.remaining() != Long.BYTES) {
            throw new Malformed("field " + tag + " of " + field.value.remaining() + " bytes");
          }
          return field.value.getLong(0);
        }
      }
      return 0;
    }

    int small(byte tag) throws Malformed {
      long value = number(tag);
      if (value < 0 || value > Integer.MAX_VALUE) {
        throw new Malformed("field " + tag + " is " + value);
      }
      return (int) value;
    }

    byte[] raw(byte tag) throws Malformed {
      for (Field field : all) {
        if (field.tag == tag) {
          byte[] value = new byte[field.value.remaining()];
          field.value.get(field.value.position(), value);
          return value;
        }
      }
      throw new Malformed("field " + tag + " is missing");
    }

    double figure(byte tag) throws Malformed {
      return Double.longBitsToDouble(number(tag));
    }

    String text(byte tag, int maxBytes) throws Malformed {
      for (Field field : all) {
        if (field.tag == tag) {
          return text(field, maxBytes);
        }
      }
      return "";
    }

    private static String text(Field field, int maxBytes) throws Malformed {
      if (field.value.remaining() > maxBytes) {
        throw new Malformed("field " + field.tag + " of " + field.value.remaining() + " bytes");
      }
      try {
        return StandardCharsets.UTF_8.newDecoder().decode(field.value.duplicate()).toString();
      } catch (CharacterCodingException e) {
        throw new Malformed("field " + field.tag + " is not UTF-8");
      }
    }
  }
}
