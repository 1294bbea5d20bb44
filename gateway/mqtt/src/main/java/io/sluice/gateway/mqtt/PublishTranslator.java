package io.sluice.gateway.mqtt;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.value.JsonText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Translator of published messages and wills to frames of the session. Stateless. */
final class PublishTranslator {
  private static final long MS_PER_SECOND = 1_000;
  private static final int MAX_CORRELATION_CHARS = 255;

  /** Words that Jakarta Messaging excludes from the names of properties. */
  private static final Set<String> RESERVED =
      Set.of("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE");

  private PublishTranslator() {}

  /**
   * Returns the frame of a message.
   *
   * @param ref the ref of its answer, or {@link ClientFrame#NO_REF}
   * @param name its topic name
   * @throws MqttFault if no message can express it
   */
  static ClientFrame.Publish frame(
      long ref,
      String name,
      boolean retain,
      PacketProperties properties,
      byte[] payload,
      MqttOptions options)
      throws MqttFault {
    String topic = MqttTopics.topic(name);
    if (retain && !options.isRetained(topic)) {
      throw new MqttFault(
          MqttReason.RETAIN_NOT_SUPPORTED,
          "RETAIN requires a topic with a key (history.key-properties): " + name);
    }
    boolean removes = retain && payload.length == 0;
    if (removes && options.removal().isEmpty()) {
      throw new MqttFault(
          MqttReason.RETAIN_NOT_SUPPORTED,
          "removal of a retained message requires history.removal-property");
    }
    Map<String, Object> mapped = properties(properties);
    if (removes) {
      mapped.put(options.removal(), Boolean.TRUE);
    }
    return new ClientFrame.Publish(
        ref,
        Destination.topic(topic),
        kind(properties, payload),
        payload,
        mapped,
        headers(properties));
  }

  private static PayloadKind kind(PacketProperties properties, byte[] payload) throws MqttFault {
    if (properties.number(PacketProperties.PAYLOAD_FORMAT, 0) == 0) {
      return PayloadKind.BYTES;
    }
    if (text(payload) == null) {
      throw new MqttFault(MqttReason.PAYLOAD_FORMAT_INVALID, "payload is not UTF-8");
    }
    return PayloadKind.TEXT;
  }

  /** Returns bytes as text, or null if they are not UTF-8. */
  private static String text(byte[] utf8) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static PublishHeaders headers(PacketProperties properties) {
    long expiry = properties.number(PacketProperties.MESSAGE_EXPIRY, -1);
    byte[] data = properties.bytes(PacketProperties.CORRELATION_DATA);
    String correlation = data == null ? null : text(data);
    boolean isId = correlation != null && correlation.length() <= MAX_CORRELATION_CHARS;
    if (expiry < 0 && !isId) {
      return PublishHeaders.DEFAULT;
    }
    // A JMS time to live of 0 means that the message does not expire.
    long ttlMs = expiry < 0 ? PublishHeaders.NONE : Math.max(1, expiry * MS_PER_SECOND);
    return new PublishHeaders(
        PublishHeaders.DEFAULT_PRIORITY,
        ttlMs,
        PublishHeaders.NONE,
        PublishHeaders.Mode.OF_NODE,
        null,
        isId ? correlation : null,
        null,
        null,
        null);
  }

  private static Map<String, Object> properties(PacketProperties properties) {
    Map<String, Object> mapped = new LinkedHashMap<>(0);
    put(MqttFormat.CONTENT_TYPE, properties.text(PacketProperties.CONTENT_TYPE), mapped);
    put(MqttFormat.RESPONSE_TOPIC, properties.text(PacketProperties.RESPONSE_TOPIC), mapped);
    byte[] data = properties.bytes(PacketProperties.CORRELATION_DATA);
    if (data != null) {
      mapped.put(MqttFormat.CORRELATION_DATA, Base64.getEncoder().encodeToString(data));
    }
    List<PacketProperties.UserProperty> user = properties.user();
    boolean isListed = user.size() > 1;
    for (PacketProperties.UserProperty each : user) {
      if (isPropertyName(each.name())) {
        mapped.putIfAbsent(each.name(), each.value());
      } else {
        isListed = true;
      }
    }
    if (isListed) {
      mapped.put(MqttFormat.USER_PROPERTIES, list(user));
    }
    return mapped;
  }

  private static void put(String name, String value, Map<String, Object> to) {
    if (value != null) {
      to.put(name, value);
    }
  }

  private static boolean isPropertyName(String name) {
    return !name.isEmpty()
        && Character.isLetter(name.charAt(0))
        && name.chars().allMatch(Character::isJavaIdentifierPart)
        && !name.regionMatches(true, 0, "JMS", 0, 3)
        && !name.regionMatches(true, 0, "AMQ", 0, 3)
        && !name.startsWith("mqtt")
        && !RESERVED.contains(name.toUpperCase(Locale.ROOT));
  }

  private static String list(List<PacketProperties.UserProperty> user) {
    StringWriter json = new StringWriter();
    try (JsonGenerator out = JsonText.generator(json)) {
      out.writeStartArray();
      for (PacketProperties.UserProperty each : user) {
        out.writeString(each.name());
        out.writeString(each.value());
      }
      out.writeEndArray();
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot be written", e);
    }
    return json.toString();
  }
}
