package io.sluice.client;

import io.sluice.client.internal.Frame;
import io.sluice.client.internal.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Content of a message: a string (JMS TextMessage), bytes (BytesMessage), or a map or list
 * (MapMessage, StreamMessage).
 */
public final class Payload {
  private final Object value;

  private Payload(Object value) {
    this.value = value;
  }

  static Payload of(Frame frame) {
    if (frame.get("payload") instanceof byte[]) {
      return new Payload(frame.get("payload"));
    }
    String encoding = frame.optionalText("encoding");
    if (encoding == null) {
      return new Payload(frame.text("payload"));
    }
    if (encoding.equals("base64")) {
      return new Payload(decode(frame));
    }
    boolean isKnown = encoding.equals("json") && frame.has("payload");
    if (!isKnown) {
      throw frame.wrong("encoding", "\"base64\" or \"json\" with a payload");
    }
    return new Payload(frame.get("payload"));
  }

  private static byte[] decode(Frame frame) {
    try {
      return Base64.getDecoder().decode(frame.text("payload"));
    } catch (IllegalArgumentException e) {
      throw frame.wrong("payload", "base64");
    }
  }

  /** Returns the published value: a {@code String}, {@code byte[]}, {@code Map} or {@code List}. */
  public Object value() {
    return value instanceof byte[] ? ((byte[]) value).clone() : value;
  }

  /** Returns the text; that of bytes as UTF-8, that of a map or list as JSON. */
  public String text() {
    if (value instanceof byte[]) {
      return new String((byte[]) value, StandardCharsets.UTF_8);
    }
    return value instanceof String ? (String) value : Json.write(value);
  }

  /** Returns the bytes; those of anything else in UTF-8. */
  public byte[] bytes() {
    return value instanceof byte[]
        ? ((byte[]) value).clone()
        : text().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns a map or list; text and bytes are parsed. Values are maps, lists, strings, booleans,
   * null, {@code Long} and {@code Double}.
   *
   * @throws IllegalArgumentException if the payload is not JSON
   */
  public Object json() {
    if (!(value instanceof String) && !(value instanceof byte[])) {
      return value;
    }
    try {
      return Json.parse(text());
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("payload is not JSON: " + e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return text();
  }

  /** Adds the payload of a publish, whose bytes are encoded by its connection. */
  static void put(Object payload, Map<String, Object> frame) {
    if (payload instanceof byte[]) {
      frame.put("payload", ((byte[]) payload).clone());
    } else {
      encode(payload, frame);
    }
  }

  /** Adds the members of a payload to a frame that is always JSON. */
  static void encode(Object payload, Map<String, Object> frame) {
    if (payload instanceof byte[]) {
      frame.put("encoding", "base64");
      frame.put("payload", Base64.getEncoder().encodeToString((byte[]) payload));
      return;
    }
    if (payload instanceof Map || payload instanceof List) {
      frame.put("encoding", "json");
    } else {
      SubscribeOptions.check(
          payload instanceof String, "payload must be a String, byte[], Map or List");
    }
    frame.put("payload", body(payload));
  }

  private static Object body(Object value) {
    if (value instanceof Map) {
      Map<Object, Object> copy = new LinkedHashMap<>();
      ((Map<?, ?>) value).forEach((name, element) -> copy.put(name, body(element)));
      return copy;
    }
    if (value instanceof List) {
      List<Object> copy = new ArrayList<>();
      ((List<?>) value).forEach(element -> copy.add(body(element)));
      return copy;
    }
    return value instanceof byte[]
        ? Collections.singletonMap("base64", Base64.getEncoder().encodeToString((byte[]) value))
        : value;
  }
}
