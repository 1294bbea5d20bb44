package io.sluice.gateway.mqtt;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageFormat;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.value.JsonReader;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Format of messages as PUBLISH packets with QoS 0, the same bytes for all clients of one version
 * and transport. Stateless, for any thread.
 *
 * <p>The bytes of a tagged subscription are a {@link PublishRecord}, which the client's translator
 * reads: packet identifiers differ between clients.
 */
final class MqttFormat implements MessageFormat {
  /** Property of a message with the content type of MQTT 5. */
  static final String CONTENT_TYPE = "mqttContentType";

  /** Property of a message with the response topic of MQTT 5. */
  static final String RESPONSE_TOPIC = "mqttResponseTopic";

  /** Property of a message with the correlation data of MQTT 5 in base64. */
  static final String CORRELATION_DATA = "mqttCorrelationData";

  /** Property of a message with its user properties as a JSON array: names and values in turn. */
  static final String USER_PROPERTIES = "mqttUserProperties";

  private static final int MAX_FIXED_HEADER = 5;
  private static final int HEAD =
      PublishRecord.PRELUDE + WebSocketFrame.MAX_HEADER + MAX_FIXED_HEADER;
  private static final int OVERHEAD = 64;
  private static final long UNSIGNED_MAX = 0xFFFF_FFFFL;

  private final MqttVersion version;
  private final boolean webSocket;

  MqttFormat(MqttVersion version, boolean webSocket) {
    this.version = version;
    this.webSocket = webSocket;
  }

  /** Returns the complete bytes of a message, which the caller owns; empty if it is hidden. */
  @Override
  public ByteBuf encode(Message message, Channel channel, long offset, ByteBufAllocator allocator) {
    int properties = message.properties() == null ? 0 : 2 * message.properties().length;
    ByteBuf out =
        allocator.directBuffer(
            HEAD + channel.topic().length() + properties + OVERHEAD + message.payload().length);
    try {
      out.writeZero(HEAD).readerIndex(HEAD);
      if (MqttTopics.isHidden(channel.pattern(), channel.topic())) {
        PublishRecord.writePrelude(out, offset, message);
        return out;
      }
      MqttTopics.writeName(channel.topic(), out);
      if (version.hasProperties()) {
        writeProperties(message, out);
      }
      out.writeBytes(message.payload());
      PacketWriter.prependHeader(out, PacketKind.PUBLISH << 4);
      if (webSocket) {
        WebSocketFrame.prependHeader(out, WebSocketFrame.BINARY);
      }
      PublishRecord.writePrelude(out, offset, message);
      return out;
    } catch (RuntimeException e) {
      out.release();
      throw e;
    }
  }

  @Override
  public int tagBytes(long ref) {
    return PublishRecord.HEAD;
  }

  @Override
  public void writeTagged(ByteBuf encoded, long ref, ByteBuf out) {
    PublishRecord.write(encoded, webSocket, ref, out);
  }

  private static void writeProperties(Message message, ByteBuf out) {
    boolean isText = message.kind() == PayloadKind.TEXT || message.kind() == PayloadKind.JSON;
    ByteBuf properties = out.alloc().heapBuffer();
    try {
      if (message.expiresMs() != Message.NO_EXPIRY) { // first, for PacketWriter.expire
        long leftMs = Math.max(1, message.expiresMs() - System.currentTimeMillis());
        long seconds = Math.min(UNSIGNED_MAX, PacketWriter.seconds(leftMs));
        properties.writeByte(PacketProperties.MESSAGE_EXPIRY).writeInt((int) seconds);
      }
      if (isText) {
        properties.writeByte(PacketProperties.PAYLOAD_FORMAT).writeByte(1);
      }
      if (message.properties() != null) {
        writeProperties(message.properties(), properties);
      }
      PacketWriter.writeVariable(out, properties.readableBytes());
      out.writeBytes(properties);
    } catch (IOException e) {
      throw new UncheckedIOException("properties of a message are not JSON", e);
    } finally {
      properties.release();
    }
  }

  private static void writeProperties(byte[] json, ByteBuf out) throws IOException {
    List<String> user = new ArrayList<>();
    List<String> listed = null;
    try (JsonParser in = JsonReader.parser(json)) {
      in.nextToken();
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        in.nextToken();
        String value = in.getText();
        switch (name) {
          case CONTENT_TYPE -> writeText(PacketProperties.CONTENT_TYPE, value, out);
          case RESPONSE_TOPIC -> writeText(PacketProperties.RESPONSE_TOPIC, value, out);
          case CORRELATION_DATA -> writeCorrelation(value, out);
          case USER_PROPERTIES -> listed = listed(value);
          default -> {
            user.add(name);
            user.add(value);
          }
        }
      }
    }
    writeUser(listed == null ? user : listed, out);
  }

  /** Returns the names and values of a list in turn; null if another publisher uses the name. */
  private static List<String> listed(String json) {
    List<String> all = new ArrayList<>();
    try (JsonParser in = JsonReader.parser(json)) {
      boolean isList = in.nextToken() == JsonToken.START_ARRAY;
      while (isList && in.nextToken() == JsonToken.VALUE_STRING) {
        all.add(in.getText());
      }
      return isList && in.currentToken() == JsonToken.END_ARRAY && all.size() % 2 == 0 ? all : null;
    } catch (IOException e) {
      return null;
    }
  }

  private static void writeUser(List<String> namesAndValues, ByteBuf out) {
    for (int i = 0; i < namesAndValues.size(); i += 2) {
      out.writeByte(PacketProperties.USER_PROPERTY);
      PacketWriter.writeText(out, namesAndValues.get(i));
      PacketWriter.writeText(out, namesAndValues.get(i + 1));
    }
  }

  private static void writeCorrelation(String base64, ByteBuf out) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      return; // another publisher uses the name
    }
    out.writeByte(PacketProperties.CORRELATION_DATA).writeShort(bytes.length).writeBytes(bytes);
  }

  private static void writeText(int id, String value, ByteBuf out) {
    out.writeByte(id);
    PacketWriter.writeText(out, value);
  }
}
