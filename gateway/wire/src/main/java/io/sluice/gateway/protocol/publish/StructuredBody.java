package io.sluice.gateway.protocol.publish;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.value.JsonReader;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.protocol.value.JsonValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Body of a MapMessage or a StreamMessage as JSON: docs/PROTOCOL.md, section 3. Immutable, for any
 * thread. Values are strings, booleans, null, bytes, Integer, Long or Double.
 *
 * @param map content of a MapMessage; null for a StreamMessage
 * @param list content of a StreamMessage; null for a MapMessage
 */
public record StructuredBody(Map<String, Object> map, List<Object> list) {
  /** Names of the values that are written as text in an object. */
  private static final Set<String> TYPES = Set.of("base64", "long", "double");

  /** Copies the JSON object or array at the position of a parser. */
  static byte[] copy(JsonParser parser) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator copy = JsonText.generator(bytes)) {
      BadFrame.copy(parser, "payload", copy);
    }
    return bytes.toByteArray();
  }

  /** Reads a body without a {@link #problem}. */
  public static StructuredBody of(byte[] json) {
    try {
      return read(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns why no message can have a body, or null. Expensive: only for clients that may publish.
   */
  public static String problem(byte[] json) {
    try {
      read(json);
      return null;
    } catch (BadFrame e) {
      return e.getMessage();
    } catch (JsonProcessingException e) {
      return "\"payload\": " + e.getOriginalMessage();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StructuredBody read(byte[] json) throws IOException {
    try (JsonParser parser = JsonReader.parser(json)) {
      if (parser.nextToken() == JsonToken.START_ARRAY) {
        List<Object> list = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(parser, "element " + list.size()));
        }
        return new StructuredBody(null, list);
      }
      Map<String, Object> map = new LinkedHashMap<>();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        if (name.isEmpty()) {
          throw new BadFrame("\"payload\" has an empty name");
        }
        parser.nextToken();
        map.put(name, value(parser, "\"" + BadFrame.shortened(name) + "\""));
      }
      return new StructuredBody(map, null);
    }
  }

  private static Object value(JsonParser parser, String name) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_STRING -> parser.getText();
      case VALUE_TRUE -> Boolean.TRUE;
      case VALUE_FALSE -> Boolean.FALSE;
      case VALUE_NULL -> null;
      case VALUE_NUMBER_INT -> integer(parser, name);
      case VALUE_NUMBER_FLOAT -> finite(parser.getDoubleValue(), name);
      case START_OBJECT -> typed(parser, name);
      default -> throw bad(name, "is an array");
    };
  }

  private static Object integer(JsonParser parser, String name) throws IOException {
    return switch (parser.getNumberType()) {
      case INT -> parser.getIntValue();
      case LONG -> parser.getLongValue();
      default -> throw bad(name, "exceeds 64 bits");
    };
  }

  private static Double finite(double value, String name) throws BadFrame {
    if (!Double.isFinite(value)) {
      throw bad(name, "is too large for a double");
    }
    return value;
  }

  /** Returns a value that JSON cannot represent, from an object with its type and its text. */
  private static Object typed(JsonParser parser, String name) throws IOException {
    boolean named = parser.nextToken() == JsonToken.FIELD_NAME;
    String type = named ? parser.currentName() : "";
    boolean only = named && TYPES.contains(type) && parser.nextToken() == JsonToken.VALUE_STRING;
    String text = only ? parser.getText() : "";
    if (!only || parser.nextToken() != JsonToken.END_OBJECT) {
      throw bad(
          name,
          "is an object other than {\"base64\":\"…\"}, {\"long\":\"…\"} and {\"double\":\"…\"}");
    }
    if (type.equals("base64")) {
      return bytes(text, name);
    }
    Number number = JsonValue.number(text, type.equals("double"));
    if (number == null) {
      throw bad(name, "is no " + type + ": \"" + BadFrame.shortened(text) + "\"");
    }
    return number;
  }

  private static byte[] bytes(String text, String name) throws BadFrame {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw bad(name, "is not base64: " + e.getMessage());
    }
  }

  private static BadFrame bad(String name, String why) {
    return new BadFrame("\"payload\": " + name + " " + why);
  }
}
