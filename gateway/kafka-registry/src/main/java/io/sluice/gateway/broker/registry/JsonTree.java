package io.sluice.gateway.broker.registry;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.value.JsonReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Parser of JSON to maps, lists, texts, {@link BigDecimal}, booleans and null, and the checks of
 * their types. Stateless, for any thread.
 */
final class JsonTree {
  private static final int MAX_DIGITS = 1_000;
  private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");

  private JsonTree() {}

  /** Returns the value of a document. */
  static Object parse(byte[] utf8) throws IOException {
    try (JsonParser in = JsonReader.parser(utf8)) {
      if (in.nextToken() == null) {
        throw new IOException("the document is empty");
      }
      Object value = value(in);
      if (in.nextToken() != null) {
        throw new IOException("the document has more than one value");
      }
      return value;
    }
  }

  /**
   * Returns the number of a text.
   *
   * @throws NumberFormatException if it is none, or has so many digits that arithmetic is expensive
   */
  static BigDecimal number(String text) {
    BigDecimal number = text.length() > MAX_DIGITS ? null : new BigDecimal(text);
    if (number == null || Math.abs((long) number.scale()) > MAX_DIGITS) {
      throw new NumberFormatException();
    }
    return number;
  }

  /** Returns a parsed object. */
  static Map<?, ?> object(Object json, String path) throws Mismatch {
    if (json instanceof Map<?, ?> members) {
      return members;
    }
    throw Mismatch.type(path, "an object", json);
  }

  /** Returns a parsed text. */
  static String text(Object json, String path) throws Mismatch {
    if (json instanceof String text) {
      return text;
    }
    throw Mismatch.type(path, "a string", json);
  }

  /** Returns a parsed number, or that of a text, because JSON would round it. */
  static BigDecimal decimal(Object json, String path, String expected) throws Mismatch {
    try {
      if (json instanceof BigDecimal number) {
        return number;
      }
      if (json instanceof String text) {
        return number(text);
      }
    } catch (NumberFormatException e) {
      // below
    }
    throw Mismatch.type(path, expected, json);
  }

  /** Returns a floating-point number. */
  static double number(Object json, String path) throws Mismatch {
    if (json instanceof String text && NOT_FINITE.contains(text)) {
      return Double.parseDouble(text);
    }
    return decimal(json, path, "a number").doubleValue();
  }

  private static Object value(JsonParser in) throws IOException {
    return switch (in.currentToken()) {
      case START_OBJECT -> object(in);
      case START_ARRAY -> array(in);
      case VALUE_STRING -> in.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> in.getDecimalValue();
      case VALUE_TRUE -> Boolean.TRUE;
      case VALUE_FALSE -> Boolean.FALSE;
      default -> null;
    };
  }

  private static Map<String, Object> object(JsonParser in) throws IOException {
    Map<String, Object> members = new LinkedHashMap<>();
    while (in.nextToken() != JsonToken.END_OBJECT) {
      String name = in.currentName();
      in.nextToken();
      members.put(name, value(in));
    }
    return members;
  }

  private static List<Object> array(JsonParser in) throws IOException {
    List<Object> elements = new ArrayList<>();
    while (in.nextToken() != JsonToken.END_ARRAY) {
      elements.add(value(in));
    }
    return elements;
  }
}
