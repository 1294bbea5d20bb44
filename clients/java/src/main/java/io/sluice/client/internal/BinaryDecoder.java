package io.sluice.client.internal;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decoder of the binary frames of one connection: PROTOCOL.md, section 5. It returns the same
 * frames as the JSON encoding, except that a payload of bytes is a {@code byte[]}. It has to
 * observe the text frames in their order. One thread may use it.
 */
public final class BinaryDecoder {
  private static final int MESSAGE = 1;
  private static final int DELIVERY = 2;
  private static final int HAS_MEMBERS = 0x40;
  private static final int HAS_REF = 0x80;
  private static final int REDELIVERED = 0x80;
  private static final int BYTES = 1;
  private static final int JSON = 2;
  private static final int REMOVAL = 3;
  private static final char[] DIGITS = "0123456789abcdef".toCharArray();

  /** Topic of a channel, and the pattern through which its messages arrive. */
  private record Route(String topic, String pattern) {
    String key() {
      return pattern == null ? topic : pattern;
    }
  }

  private final Map<Integer, Route> channels = new HashMap<>();

  /** Offsets of the plain subscriptions by topic or pattern, and of the tagged ones by ref. */
  private final Map<Object, OffsetWidening> offsets = new HashMap<>();

  /** Latest tags of the consumers by their ref. */
  private final Map<Long, Long> tags = new HashMap<>();

  /**
   * Records what a text frame defines for later binary frames.
   *
   * @throws BadFrameException if a member of it is missing or malformed
   */
  public void observe(Frame frame) {
    try {
      record(frame);
    } catch (BadFrameException e) {
      throw new BadFrameException(e.getMessage(), frame.members());
    }
  }

  private void record(Frame frame) {
    switch (frame.type()) {
      case "subscribed":
        onSubscribed(frame);
        break;
      case "channel":
        define(frame.number("channel"), new Route(frame.text("topic"), frame.text("pattern")));
        break;
      case "gap":
        Object key = frame.has("ref") ? (Object) frame.ref() : frame.text("topic");
        offsets.computeIfPresent(key, (same, old) -> OffsetWidening.after(frame.number("offset")));
        break;
      case "consuming":
        tags.put(frame.ref(), 0L);
        break;
      case "delivery":
        tags.computeIfPresent(frame.ref(), (ref, old) -> frame.number("tag"));
        break;
      default:
    }
  }

  private void onSubscribed(Frame frame) {
    String topic = frame.text("topic");
    long replay = frame.has("replay") ? frame.number("replay") : 0;
    Object key = frame.flag("tagged") ? (Object) frame.ref() : topic;
    offsets.put(key, new OffsetWidening(frame.number("offset"), replay));
    if (frame.has("channel")) {
      define(frame.number("channel"), new Route(topic, null));
    }
  }

  private void define(long channel, Route route) {
    channels.put((int) channel, route);
  }

  /**
   * Decodes a frame.
   *
   * @param nodeTime time of the node's clock, which completes the times
   * @return the frame; null if its type is unknown and must be ignored
   * @throws BadFrameException if it is too short or on an unknown channel
   */
  public Frame decode(ByteBuffer bytes, long nodeTime) {
    Map<String, Object> members = new LinkedHashMap<>();
    try {
      int first = bytes.get() & 0xff;
      switch (first & 0x0f) {
        case MESSAGE:
          return message(first, bytes, nodeTime, members);
        case DELIVERY:
          return delivery(first, bytes, nodeTime, members);
        default:
          return null;
      }
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      String text = "binary frame is too short: " + bytes.limit() + " bytes";
      throw new BadFrameException(text, members);
    } catch (BadFrameException e) {
      throw new BadFrameException(e.getMessage(), members);
    }
  }

  /** Decodes a message; the members that precede an unreadable part remain. */
  private Frame message(int first, ByteBuffer bytes, long nodeTime, Map<String, Object> members) {
    int channel = (bytes.get() & 0xff) << 16 | bytes.getShort() & 0xffff;
    Route route = channels.get(channel);
    if (route == null) {
      throw new BadFrameException("binary message on the unknown channel " + channel);
    }
    Object key = route.key();
    if ((first & HAS_REF) != 0) {
      long ref = Integer.toUnsignedLong(bytes.getInt(bytes.position() + 16));
      members.put("ref", ref);
      key = ref;
    }
    members.put("type", "message");
    members.put("topic", route.topic);
    if (route.pattern != null) {
      members.put("pattern", route.pattern);
    }
    long offsetLow = unsigned(bytes);
    OffsetWidening offset = offsets.get(key);
    // Without one, the message belongs to a subscription that was never answered.
    members.put("offset", offset == null ? offsetLow : offset.widen(offsetLow));
    members.put("id", hex(bytes.getLong()));
    members.put("time", time(bytes, nodeTime));
    if ((first & HAS_REF) != 0) {
      bytes.getInt();
    }
    if ((first & HAS_MEMBERS) != 0) {
      members.put("properties", Json.parse(text(bytes, bytes.getShort() & 0xffff)));
    }
    putPayload(first, bytes, members);
    return Frame.of(members);
  }

  /** Decodes a delivery; the members that precede an unreadable part remain. */
  private Frame delivery(int first, ByteBuffer bytes, long nodeTime, Map<String, Object> members) {
    members.put("type", "delivery");
    long ref = unsigned(bytes);
    members.put("ref", ref);
    putTag(ref, unsigned(bytes), members);
    members.put("id", hex(bytes.getLong()));
    members.put("time", time(bytes, nodeTime));
    if ((first & REDELIVERED) != 0) {
      members.put("redelivered", true);
    }
    if ((first & HAS_MEMBERS) != 0) {
      String json = text(bytes, bytes.getShort() & 0xffff);
      members.putAll(Frame.object(Json.parse(json), "members of a delivery"));
    }
    putPayload(first, bytes, members);
    return Frame.of(members);
  }

  private void putTag(long ref, long low, Map<String, Object> members) {
    Long previous = tags.get(ref);
    if (previous != null) {
      long tag = OffsetWidening.above(previous, low);
      tags.put(ref, tag);
      members.put("tag", tag);
    } else if (low != 0) {
      members.put("tag", low);
    }
  }

  private static void putPayload(int first, ByteBuffer bytes, Map<String, Object> members) {
    switch (first >> 4 & 3) {
      case BYTES:
        byte[] payload = new byte[bytes.remaining()];
        bytes.get(payload);
        members.put("payload", payload);
        break;
      case JSON:
        members.put("encoding", "json");
        members.put("payload", Json.parse(text(bytes, bytes.remaining())));
        break;
      case REMOVAL:
        members.put("removed", true);
        members.put("payload", "");
        break;
      default:
        members.put("payload", text(bytes, bytes.remaining()));
    }
  }

  private static String text(ByteBuffer bytes, int length) {
    byte[] utf8 = new byte[length];
    bytes.get(utf8);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new BadFrameException("binary frame is not UTF-8");
    }
  }

  private static long unsigned(ByteBuffer bytes) {
    return Integer.toUnsignedLong(bytes.getInt());
  }

  private static long time(ByteBuffer bytes, long nodeTime) {
    return nodeTime + (bytes.getInt() - (int) nodeTime);
  }

  private static String hex(long id) {
    char[] digits = new char[16];
    for (int i = 0; i < digits.length; i++) {
      digits[i] = DIGITS[(int) (id >>> 60 - 4 * i) & 15];
    }
    return new String(digits);
  }
}
