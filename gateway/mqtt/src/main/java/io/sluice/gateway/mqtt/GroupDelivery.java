package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;

/** Translator of the deliveries of a group, which arrive as frames of a consumer. Stateless. */
final class GroupDelivery {
  private GroupDelivery() {}

  /**
   * Returns the message in a format, which the caller owns.
   *
   * @param pattern that of the consumer; a delivery of a pattern names its topic
   */
  static ByteBuf encode(
      JsonObject frame, String pattern, MqttFormat format, ByteBufAllocator allocator) {
    JsonObject properties = frame.getJsonObject("properties");
    String topic = frame.getString("topic", pattern);
    PayloadKind kind = kind(frame.getString("encoding", ""));
    Message message =
        new Message(
            topic,
            HexFormat.fromHexDigitsToLong(frame.getString("id")),
            frame.getLong("time"),
            kind,
            payload(frame, kind),
            properties == null ? null : properties.encode().getBytes(StandardCharsets.UTF_8));
    return format.encode(message, new Channel(0, topic, null), 0, allocator);
  }

  private static PayloadKind kind(String encoding) {
    return switch (encoding) {
      case "base64" -> PayloadKind.BYTES;
      case "json" -> PayloadKind.JSON;
      default -> PayloadKind.TEXT;
    };
  }

  private static byte[] payload(JsonObject frame, PayloadKind kind) {
    return switch (kind) {
      case BYTES -> Base64.getDecoder().decode(frame.getString("payload"));
      case JSON -> frame.getValue("payload").toString().getBytes(StandardCharsets.UTF_8);
      default -> frame.getString("payload").getBytes(StandardCharsets.UTF_8);
    };
  }
}
