package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writer of the packets of a node, except messages with QoS 0. Each method returns complete bytes,
 * which the caller owns. Stateless, for any thread.
 */
final class PacketWriter {
  private static final int MAX_FIXED_HEADER = 5;
  private static final int HEAD = WebSocketFrame.MAX_HEADER + MAX_FIXED_HEADER;
  private static final int USUAL_BYTES = HEAD + 49;
  private static final int CONTINUED = 0x80;
  private static final int LENGTH_BITS = 7;
  private static final int MAX_TEXT = 0xFFFF;

  /** Maximum characters of a reason string. */
  private static final int MAX_REASON = 256;

  private final ByteBufAllocator allocator;
  private static final long MS_PER_SECOND = 1_000;

  private final MqttVersion version;
  private final boolean webSocket;

  PacketWriter(ByteBufAllocator allocator, MqttVersion version, boolean webSocket) {
    this.allocator = allocator;
    this.version = version;
    this.webSocket = webSocket;
  }

  /**
   * Properties of a successful CONNACK of MQTT 5.
   *
   * @param sessionExpiry in seconds
   * @param clientId the identifier that the node assigned, or null
   */
  record Accepted(
      boolean sessionPresent,
      long sessionExpiry,
      int receiveMaximum,
      long maximumPacketSize,
      int topicAliasMaximum,
      boolean retains,
      String clientId) {}

  /** Returns the packet that opens the connection. */
  ByteBuf connack(Accepted accepted) {
    ByteBuf out = begin();
    out.writeByte(accepted.sessionPresent() ? 1 : 0).writeByte(0);
    if (version.hasProperties()) {
      ByteBuf properties = allocator.heapBuffer();
      try {
        properties.writeByte(PacketProperties.SESSION_EXPIRY);
        properties.writeInt((int) accepted.sessionExpiry());
        properties.writeByte(PacketProperties.RECEIVE_MAXIMUM);
        properties.writeShort(accepted.receiveMaximum());
        properties.writeByte(PacketProperties.MAXIMUM_QOS).writeByte(1);
        properties.writeByte(PacketProperties.MAXIMUM_PACKET_SIZE);
        properties.writeInt((int) accepted.maximumPacketSize());
        properties.writeByte(PacketProperties.TOPIC_ALIAS_MAXIMUM);
        properties.writeShort(accepted.topicAliasMaximum());
        if (!accepted.retains()) {
          properties.writeByte(PacketProperties.RETAIN_AVAILABLE).writeByte(0);
        }
        if (accepted.clientId() != null) {
          properties.writeByte(PacketProperties.ASSIGNED_CLIENT_ID);
          writeText(properties, accepted.clientId());
        }
        writeVariable(out, properties.readableBytes());
        out.writeBytes(properties);
      } finally {
        properties.release();
      }
    }
    return end(out, PacketKind.CONNACK << 4);
  }

  /**
   * Returns the packet that refuses the connection.
   *
   * @param reference address of another node, or null
   */
  ByteBuf refusal(MqttReason reason, String why, String reference) {
    ByteBuf out = begin().writeByte(0);
    if (version.hasProperties()) {
      out.writeByte(reason.code());
      writeReason(out, why, reference);
    } else {
      out.writeByte(reason.returnCode());
    }
    return end(out, PacketKind.CONNACK << 4);
  }

  /**
   * Returns an acknowledgement.
   *
   * @param kind PUBACK or PUBCOMP
   * @param why reason of a failure, or null
   */
  ByteBuf ack(int kind, int id, MqttReason reason, String why) {
    ByteBuf out = begin().writeShort(id);
    if (version.hasProperties() && reason != MqttReason.SUCCESS) {
      out.writeByte(reason.code());
      writeReason(out, why, null);
    }
    return end(out, kind << 4);
  }

  /**
   * Returns the reply to a subscribe.
   *
   * @param codes of its filters in order: granted QoS or reason
   * @param why reason of a failure, or null
   */
  ByteBuf suback(int id, int[] codes, String why) {
    ByteBuf out = begin().writeShort(id);
    if (version.hasProperties()) {
      writeReason(out, why, null);
    }
    for (int code : codes) {
      boolean isFailure = code >= MqttReason.UNSPECIFIED.code();
      boolean isHidden = isFailure && !version.hasProperties();
      out.writeByte(isHidden ? MqttReason.UNSPECIFIED.code() : code);
    }
    return end(out, PacketKind.SUBACK << 4);
  }

  /** Returns the reply to an unsubscribe. */
  ByteBuf unsuback(int id, List<MqttReason> reasons) {
    ByteBuf out = begin().writeShort(id);
    if (version.hasProperties()) {
      out.writeByte(0);
      reasons.forEach(each -> out.writeByte(each.code()));
    }
    return end(out, PacketKind.UNSUBACK << 4);
  }

  ByteBuf pingResponse() {
    return end(begin(), PacketKind.PINGRESP << 4);
  }

  /**
   * Returns the packet that ends the connection, of MQTT 5 only.
   *
   * @param reference address of another node, or null
   */
  ByteBuf disconnect(MqttReason reason, String why, String reference) {
    ByteBuf out = begin().writeByte(reason.code());
    writeReason(out, why, reference);
    return end(out, PacketKind.DISCONNECT << 4);
  }

  /**
   * Returns a message with identifiers or other flags.
   *
   * @param packet the message with QoS 0, whose indices do not change
   * @param flags of the first byte
   * @param id packet identifier; 0 with QoS 0
   * @param subscriptionId subscription identifier, of MQTT 5; 0 without one
   */
  ByteBuf publish(ByteBuf packet, int flags, int id, int subscriptionId) {
    int lengthAt = packet.readerIndex() + 1;
    int body = lengthAt + variableBytes(variable(packet, lengthAt));
    int end = packet.writerIndex();
    int idBytes = subscriptionBytes(subscriptionId);
    ByteBuf out = allocator.directBuffer(HEAD + Short.BYTES + idBytes + end - body);
    out.writeZero(HEAD).readerIndex(HEAD);
    int topicBytes = Short.BYTES + packet.getUnsignedShort(body);
    out.writeBytes(packet, body, topicBytes);
    if (id != 0) {
      out.writeShort(id);
    }
    int rest = body + topicBytes;
    if (subscriptionId != 0) {
      int properties = variable(packet, rest);
      rest += variableBytes(properties);
      writeVariable(out, properties + 1 + variableBytes(subscriptionId));
      out.writeByte(PacketProperties.SUBSCRIPTION_ID);
      writeVariable(out, subscriptionId);
    }
    out.writeBytes(packet, rest, end - rest);
    return end(out, PacketKind.PUBLISH << 4 | flags);
  }

  /**
   * Subtracts a wait from the expiry interval of a message with QoS 0.
   *
   * @return whether it has not expired
   */
  boolean expire(ByteBuf packet, long waitedMs) {
    if (!version.hasProperties()) {
      return true;
    }
    int body = packet.readerIndex() + 1;
    body += variableBytes(variable(packet, body));
    int properties = body + Short.BYTES + packet.getUnsignedShort(body);
    int length = variable(packet, properties);
    int first = properties + variableBytes(length);
    if (length == 0 || packet.getByte(first) != PacketProperties.MESSAGE_EXPIRY) {
      return true;
    }
    long left = packet.getUnsignedInt(first + 1) - waitedMs / MS_PER_SECOND;
    packet.setInt(first + 1, (int) left);
    return left > 0;
  }

  /** Returns the seconds of a time, rounded up. */
  static long seconds(long ms) {
    return (ms + MS_PER_SECOND - 1) / MS_PER_SECOND;
  }

  /** Returns the maximum bytes of a subscription identifier in a message; 0 without one. */
  static int subscriptionBytes(int subscriptionId) {
    return subscriptionId == 0 ? 0 : 2 + variableBytes(subscriptionId);
  }

  /** Returns the bytes of the transport before the packet at the reader index. */
  static int transportBytes(ByteBuf bytes, boolean webSocket) {
    return webSocket ? WebSocketFrame.headerBytesOf(bytes) : 0;
  }

  /** Returns the bytes of the packet at the reader index, without those of the transport. */
  static int packetBytes(ByteBuf bytes, boolean webSocket) {
    if (webSocket) {
      return WebSocketFrame.payloadBytesOf(bytes);
    }
    int length = variable(bytes, bytes.readerIndex() + 1);
    return 1 + variableBytes(length) + length;
  }

  /** Returns a variable number in its shortest form. */
  private static int variable(ByteBuf in, int from) {
    int value = 0;
    int at = from;
    int next;
    do {
      next = in.getUnsignedByte(at);
      value |= (next & CONTINUED - 1) << LENGTH_BITS * (at - from);
      at++;
    } while (next >= CONTINUED);
    return value;
  }

  private ByteBuf begin() {
    return allocator.directBuffer(USUAL_BYTES).writeZero(HEAD).readerIndex(HEAD);
  }

  private ByteBuf end(ByteBuf out, int first) {
    prependHeader(out, first);
    return webSocket ? WebSocketFrame.prependHeader(out, WebSocketFrame.BINARY) : out;
  }

  private void writeReason(ByteBuf out, String why, String reference) {
    ByteBuf properties = allocator.heapBuffer();
    try {
      if (why != null) {
        properties.writeByte(PacketProperties.REASON_STRING);
        writeText(properties, why.substring(0, Math.min(why.length(), MAX_REASON)));
      }
      if (reference != null) {
        properties.writeByte(PacketProperties.SERVER_REFERENCE);
        writeText(properties, reference);
      }
      writeVariable(out, properties.readableBytes());
      out.writeBytes(properties);
    } finally {
      properties.release();
    }
  }

  /** Writes a fixed header before the reader index, which moves to it. */
  static void prependHeader(ByteBuf packet, int first) {
    int length = packet.readableBytes();
    int end = packet.writerIndex();
    int start = packet.readerIndex() - 1 - variableBytes(length);
    packet.setIndex(start, start).writeByte(first);
    writeVariable(packet, length);
    packet.writerIndex(end);
  }

  private static int variableBytes(int value) {
    int bytes = 1;
    for (int rest = value >> LENGTH_BITS; rest > 0; rest >>= LENGTH_BITS) {
      bytes++;
    }
    return bytes;
  }

  static void writeVariable(ByteBuf out, int value) {
    int rest = value;
    while (rest >= CONTINUED) {
      out.writeByte(rest & CONTINUED - 1 | CONTINUED);
      rest >>= LENGTH_BITS;
    }
    out.writeByte(rest);
  }

  /** Writes a text with its length; one that is too long for a packet is truncated. */
  static void writeText(ByteBuf out, String text) {
    if (ByteBufUtil.utf8Bytes(text) <= MAX_TEXT) {
      out.writeShort(ByteBufUtil.utf8Bytes(text));
      ByteBufUtil.writeUtf8(out, text);
    } else {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      int length = MAX_TEXT;
      while ((utf8[length] & 0xC0) == 0x80) {
        length--;
      }
      out.writeShort(length).writeBytes(utf8, 0, length);
    }
  }
}
