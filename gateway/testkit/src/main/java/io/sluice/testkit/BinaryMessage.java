package io.sluice.testkit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Binary message, decoded as in docs/PROTOCOL.md, section 5. Immutable.
 *
 * @param ref the ref of a tagged subscription, or null
 */
public record BinaryMessage(
    int kind,
    int channel,
    long offset,
    long id,
    long time,
    Long ref,
    String properties,
    String text) {
  public static BinaryMessage read(byte[] frame) {
    ByteBuffer in = ByteBuffer.wrap(frame);
    int type = in.get();
    if ((type & 0x0f) != 1) {
      throw new AssertionError("no message: type " + type);
    }
    int channel = (in.get() & 0xff) << 16 | in.getShort() & 0xffff;
    long offset = Integer.toUnsignedLong(in.getInt());
    long id = in.getLong();
    long time = Integer.toUnsignedLong(in.getInt());
    Long ref = (type & 0x80) == 0 ? null : Integer.toUnsignedLong(in.getInt());
    String properties = null;
    if ((type & 0x40) != 0) {
      byte[] json = new byte[in.getShort()];
      in.get(json);
      properties = new String(json, StandardCharsets.UTF_8);
    }
    String text = StandardCharsets.UTF_8.decode(in).toString();
    return new BinaryMessage(type >> 4 & 3, channel, offset, id, time, ref, properties, text);
  }
}
