package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Reader of the fields of one packet: section 1.5 of MQTT 5. Bound to one thread. */
final class PacketBody {
  private static final int CONTINUED = 0x80;
  private static final int MAX_VARIABLE_BYTES = 4;
  private static final int LENGTH_BITS = 7;

  private final ByteBuf in;

  PacketBody(ByteBuf in) {
    this.in = in;
  }

  boolean isEmpty() {
    return !in.isReadable();
  }

  int oneByte(String field) throws MqttFault {
    require(1, field);
    return in.readUnsignedByte();
  }

  int twoBytes(String field) throws MqttFault {
    require(Short.BYTES, field);
    return in.readUnsignedShort();
  }

  long fourBytes(String field) throws MqttFault {
    require(Integer.BYTES, field);
    return in.readUnsignedInt();
  }

  int packetId() throws MqttFault {
    int id = twoBytes("packet identifier");
    if (id == 0) {
      throw MqttFault.protocol("packet identifier is 0");
    }
    return id;
  }

  /** Returns a variable byte integer in its shortest form. */
  int variable(String field) throws MqttFault {
    int value = 0;
    for (int i = 0; i < MAX_VARIABLE_BYTES; i++) {
      int next = oneByte(field);
      value |= (next & ~CONTINUED) << i * LENGTH_BITS;
      if ((next & CONTINUED) == 0) {
        if (next == 0 && i > 0) {
          throw MqttFault.malformed(field + " is not in its shortest form");
        }
        return value;
      }
    }
    throw MqttFault.malformed(field + " has more than 4 bytes");
  }

  String text(String field) throws MqttFault {
    ByteBuf bytes = slice(twoBytes(field), field);
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(ByteBufUtil.getBytes(bytes)))
              .toString();
      if (text.indexOf('\0') >= 0) {
        throw MqttFault.malformed(field + " contains U+0000");
      }
      return text;
    } catch (CharacterCodingException e) {
      throw MqttFault.malformed(field + " is not UTF-8");
    }
  }

  byte[] binary(String field) throws MqttFault {
    return ByteBufUtil.getBytes(slice(twoBytes(field), field));
  }

  byte[] rest() {
    byte[] rest = new byte[in.readableBytes()];
    in.readBytes(rest);
    return rest;
  }

  /** Returns a reader of the next bytes, which this reader skips. */
  PacketBody part(int bytes, String field) throws MqttFault {
    return new PacketBody(slice(bytes, field));
  }

  void requireEnd(String packet) throws MqttFault {
    if (in.isReadable()) {
      throw MqttFault.malformed(packet + " has " + in.readableBytes() + " bytes too many");
    }
  }

  private ByteBuf slice(int bytes, String field) throws MqttFault {
    require(bytes, field);
    return in.readSlice(bytes);
  }

  private void require(int bytes, String field) throws MqttFault {
    if (in.readableBytes() < bytes) {
      throw MqttFault.malformed("packet ends within " + field);
    }
  }
}
