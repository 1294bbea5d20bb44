package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.loadtest.load.frame.MaskedFrame;

/** Encoder of a client's MQTT 3.1.1 packets in WebSocket frames. Stateless, for any thread. */
final class MqttRequest {
  private static final int CONNECT = 0x10;
  private static final int PUBLISH = 0x30;
  private static final int SUBSCRIBE = 0x82;
  private static final int DISCONNECT = 0xE0;

  private static final int LEVEL = 4;
  private static final int CLEAN = 0x02;
  private static final int USER_AND_PASSWORD = 0xC0;
  private static final int SEVEN_BITS = 0x7F;
  private static final int MORE = 0x80;

  private MqttRequest() {}

  /**
   * Appends a packet that connects without keep-alive. The server chooses the client's identifier.
   *
   * @param token the password, or null
   */
  static void writeConnect(ByteBuf out, String token) {
    ByteBuf body = Unpooled.buffer();
    writeText(body, "MQTT");
    body.writeByte(LEVEL).writeByte(token == null ? CLEAN : CLEAN | USER_AND_PASSWORD);
    body.writeShort(0);
    writeText(body, "");
    if (token != null) {
      writeText(body, "sluice-load");
      writeText(body, token);
    }
    write(out, CONNECT, body);
  }

  /** Appends a packet that subscribes with QoS 0. */
  static void writeSubscribe(ByteBuf out, String topic) {
    ByteBuf body = Unpooled.buffer();
    body.writeShort(1); // packet identifier
    writeText(body, topic);
    write(out, SUBSCRIBE, body.writeByte(0));
  }

  /** Appends a packet that publishes with QoS 0. */
  static void writePublish(ByteBuf out, String topic, byte[] payload) {
    ByteBuf body = Unpooled.buffer();
    writeText(body, topic);
    write(out, PUBLISH, body.writeBytes(payload));
  }

  /** Appends a packet that ends the session. */
  static void writeDisconnect(ByteBuf out) {
    write(out, DISCONNECT, Unpooled.buffer());
  }

  private static void writeText(ByteBuf out, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    out.writeShort(bytes.length).writeBytes(bytes);
  }

  private static void write(ByteBuf out, int first, ByteBuf body) {
    ByteBuf packet = Unpooled.buffer();
    packet.writeByte(first);
    int left = body.readableBytes();
    while (left > SEVEN_BITS) {
      packet.writeByte(left & SEVEN_BITS | MORE);
      left >>>= 7;
    }
    packet.writeByte(left).writeBytes(body);
    MaskedFrame.write(out, MaskedFrame.BINARY, ByteBufUtil.getBytes(packet));
  }
}
