package io.sluice.gatling.check;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Binary message or delivery (PROTOCOL.md, section 5), read in place: only {@link #message} copies
 * bytes. Valid while its buffer is.
 *
 * @param channel number of the topic; -1 in a delivery
 * @param ref that of the tagged subscription or consumer; -1 for a plain one
 * @param low low 32 bits of the offset or tag
 * @param timeLow low 32 bits of the time
 * @param members index of the members or properties; -1 without them
 * @param payload index of the payload
 */
public record BinaryFrame(
    ByteBuf bytes,
    int flags,
    int channel,
    long ref,
    long low,
    long id,
    int timeLow,
    int members,
    int payload) {
  private static final int MESSAGE = 1;
  private static final int DELIVERY = 2;
  private static final int HAS_MEMBERS = 0x40;
  private static final int HIGH_FLAG = 0x80;

  /** Reads a frame. Returns null if its type is unknown and must be ignored. */
  public static BinaryFrame read(ByteBuf bytes) {
    try {
      int start = bytes.readerIndex();
      int flags = bytes.getUnsignedByte(start);
      return switch (flags & 0x0f) {
        case MESSAGE -> message(bytes, flags, start + 1);
        case DELIVERY -> delivery(bytes, flags, start + 1);
        default -> null;
      };
    } catch (IndexOutOfBoundsException e) {
      throw new Frames.MalformedException(
          "binary frame is too short: " + bytes.readableBytes() + " bytes");
    }
  }

  private static BinaryFrame message(ByteBuf bytes, int flags, int at) {
    boolean hasRef = (flags & HIGH_FLAG) != 0;
    int next = at + (hasRef ? 23 : 19);
    long ref = hasRef ? bytes.getUnsignedInt(at + 19) : -1;
    return of(bytes, flags, bytes.getUnsignedMedium(at), ref, at + 3, next);
  }

  private static BinaryFrame delivery(ByteBuf bytes, int flags, int at) {
    return of(bytes, flags, -1, bytes.getUnsignedInt(at), at + 4, at + 20);
  }

  private static BinaryFrame of(
      ByteBuf bytes, int flags, int channel, long ref, int fields, int next) {
    boolean hasMembers = (flags & HAS_MEMBERS) != 0;
    int payload = next + (hasMembers ? 2 + bytes.getUnsignedShort(next) : 0);
    if (payload > bytes.writerIndex()) {
      throw new IndexOutOfBoundsException();
    }
    return new BinaryFrame(
        bytes,
        flags,
        channel,
        ref,
        bytes.getUnsignedInt(fields),
        bytes.getLong(fields + 4),
        bytes.getInt(fields + 12),
        hasMembers ? next : -1,
        payload);
  }

  /** Returns whether the frame is a delivery; otherwise it is a message. */
  public boolean isDelivery() {
    return (flags & 0x0f) == DELIVERY;
  }

  /** Returns the time whose low bits the frame has, next to the time of the clock. */
  public long time(long nowMs) {
    return nowMs + (timeLow - (int) nowMs);
  }

  /** Returns the number with the low bits of this frame above an earlier one. */
  public long above(long previous) {
    long number = previous & ~0xffffffffL | low;
    return number > previous ? number : number + (1L << 32);
  }

  /** Returns the largest number with the low bits of this frame up to a maximum. */
  public long upTo(long max) {
    long number = max & ~0xffffffffL | low;
    return number <= max ? number : number - (1L << 32);
  }

  /** Returns a copy that outlives the buffer. */
  public SluiceMessage message(String topic, long nowMs) {
    ObjectNode all = Frames.members(new byte[0]);
    if (topic != null) {
      all.put("topic", topic);
    }
    all.put("id", String.format("%016x", id)).put("time", time(nowMs));
    if (members >= 0) {
      ObjectNode given = Frames.members(copy(members + 2, payload));
      if (isDelivery()) {
        all.setAll(given);
      } else {
        all.set("properties", given);
      }
    }
    if (isDelivery() && (flags & HIGH_FLAG) != 0) {
      all.putIfAbsent("redelivered", BooleanNode.TRUE); // the members may qualify it
    }
    return new SluiceMessage(all, copy(payload, bytes.writerIndex()));
  }

  private byte[] copy(int from, int to) {
    return ByteBufUtil.getBytes(bytes, from, to - from);
  }
}
