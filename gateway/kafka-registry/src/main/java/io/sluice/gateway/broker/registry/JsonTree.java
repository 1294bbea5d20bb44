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

/**
 * Parser of JSON to maps, lists, texts, {@link BigDecimal}, booleans and null. Stateless, for any
 * thread.
 */
final class JsonTree {
  private static final int MAX_DIGITS = 1_000;

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
