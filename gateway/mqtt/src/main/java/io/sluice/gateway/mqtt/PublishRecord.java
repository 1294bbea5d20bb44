package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.nio.charset.StandardCharsets;

/**
 * Message of a tagged subscription in transit to the client's translator: the PUBLISH packet with
 * the members of its position. A record begins with a byte with which no packet and no WebSocket
 * frame begins.
 *
 * @param ref of the subscription
 * @param packet PUBLISH with QoS 0, borrowed; empty if the subscription does not match it
 */
record PublishRecord(long ref, long offset, long identity, long timeMs, ByteBuf packet) {
  /** First byte of a record. */
  static final int MARK = 0;

  /** Bytes before the reader index of an encoded message, with the members of its position. */
  static final int PRELUDE = 3 * Long.BYTES;

  /** Bytes of a record before its packet. */
  static final int HEAD = 1 + Integer.BYTES + PRELUDE + Integer.BYTES;

  /** Writes the members of the position before the reader index of an encoded message. */
  static void writePrelude(ByteBuf encoded, long offset, Message message) {
    int at = encoded.readerIndex() - PRELUDE;
    encoded.setLong(at, offset);
    encoded.setLong(at + Long.BYTES, message.identity());
    encoded.setLong(at + 2 * Long.BYTES, message.timeMs());
  }

  /** Writes a record of an encoded message, whose indices do not change. */
  static void write(ByteBuf encoded, boolean webSocket, long ref, ByteBuf out) {
    int start = encoded.readerIndex();
    int header = webSocket && encoded.isReadable() ? WebSocketFrame.headerBytesOf(encoded) : 0;
    int length = encoded.readableBytes() - header;
    out.writeByte(MARK).writeInt((int) ref);
    out.writeBytes(encoded, start - PRELUDE, PRELUDE);
    out.writeInt(length).writeBytes(encoded, start + header, length);
  }

  /** Returns the record at an index. */
  static PublishRecord read(ByteBuf in, int at) {
    int position = at + 1 + Integer.BYTES;
    return new PublishRecord(
        in.getUnsignedInt(at + 1),
        in.getLong(position),
        in.getLong(position + Long.BYTES),
        in.getLong(position + 2 * Long.BYTES),
        in.slice(at + HEAD, in.getInt(at + HEAD - Integer.BYTES)));
  }

  /** Returns the topic of the packet, which is not empty. */
  String topic() {
    int at = packet.readerIndex() + 1;
    while (packet.getByte(at) < 0) {
      at++;
    }
    int length = packet.getUnsignedShort(at + 1);
    String name = packet.toString(at + 1 + Short.BYTES, length, StandardCharsets.UTF_8);
    return MqttTopics.topic(name);
  }

  /** Returns the bytes of the record. */
  int size() {
    return HEAD + packet.readableBytes();
  }
}
