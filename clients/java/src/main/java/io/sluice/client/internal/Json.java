package io.sluice.client.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON reader and writer (RFC 8259). Values are maps, lists, strings, booleans, null, and numbers:
 * {@code Long} for integers within its range, otherwise {@code Double}.
 */
public final class Json {
  private static final int MAX_DEPTH = 64;
  private static final String WHITE_SPACE = " \t\r\n";
  private static final String NUMBER = "-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?";

  private final String text;
  private int at;
  private int depth;

  private Json(String text) {
    this.text = text;
  }

  /**
   * Parses one value.
   *
   * @throws BadFrameException with the index of the invalid character
   */
  public static Object parse(String text) {
    Json reader = new Json(text);
    Object value = reader.value();
    reader.skipSpace();
    if (reader.at < text.length()) {
      throw reader.invalid("end of the text");
    }
    return value;
  }

  /**
   * Returns the JSON of a value.
   *
   * @throws IllegalArgumentException if it contains another type, NaN or an infinite number
   */
  public static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private Object value() {
    skipSpace();
    switch (peek()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string();
      case 't':
        return literal("true", true);
      case 'f':
        return literal("false", false);
      case 'n':
        return literal("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    enter();
    while (hasNext('}', members.isEmpty())) {
      skipSpace();
      String name = string();
      skipSpace();
      expect(':');
      members.put(name, value());
    }
    return members;
  }

  private List<Object> array() {
    List<Object> elements = new ArrayList<>();
    enter();
    while (hasNext(']', elements.isEmpty())) {
      elements.add(value());
    }
    return elements;
  }

  private void enter() {
    if (++depth > MAX_DEPTH) {
      throw new BadFrameException("JSON at " + at + ": nested deeper than " + MAX_DEPTH);
    }
    at++;
  }

  /** Consumes the separator or the end; returns whether another element follows. */
  private boolean hasNext(char end, boolean isFirst) {
    skipSpace();
    if (peek() == end) {
      at++;
      depth--;
      return false;
    }
    if (!isFirst) {
      expect(',');
    }
    return true;
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    for (char c = next(); c != '"'; c = next()) {
      if (c < ' ') {
        at--;
        throw invalid("an escaped control character");
      }
      out.append(c == '\\' ? escaped() : c);
    }
    return out.toString();
  }

  private char escaped() {
    char c = next();
    int known = "\"\\/bfnrt".indexOf(c);
    if (known >= 0) {
      return "\"\\/\b\f\n\r\t".charAt(known);
    }
    int unit = 0;
    for (int digit = 0; digit < 4 && c == 'u'; digit++) {
      unit = unit << 4 | hexDigit();
    }
    if (c != 'u') {
      at--;
      throw invalid("an escape sequence");
    }
    return (char) unit;
  }

  private int hexDigit() {
    char c = next();
    int digit = c < 128 ? Character.digit(c, 16) : -1;
    if (digit < 0) {
      at--;
      throw invalid("a hexadecimal digit");
    }
    return digit;
  }

  private Object literal(String name, Object value) {
    if (!text.startsWith(name, at)) {
      throw invalid("a value");
    }
    at += name.length();
    return value;
  }

  private Object number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(start, at);
    if (!digits.matches(NUMBER)) {
      at = start;
      throw invalid("a value");
    }
    try {
      return Long.valueOf(digits);
    } catch (NumberFormatException e) {
      // A fraction, an exponent, or beyond the range of long.
      return Double.valueOf(digits);
    }
  }

  private void skipSpace() {
    while (at < text.length() && WHITE_SPACE.indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private char next() {
    if (at >= text.length()) {
      throw invalid("a character");
    }
    return text.charAt(at++);
  }

  private void expect(char expected) {
    if (peek() != expected) {
      throw invalid("'" + expected + "'");
    }
    at++;
  }

  private BadFrameException invalid(String expected) {
    return new BadFrameException("JSON at " + at + ": expected " + expected);
  }

  private static void write(Object value, StringBuilder out) {
    if (value instanceof String) {
      writeString((String) value, out);
    } else if (value instanceof Map<?, ?>) {
      writeObject((Map<?, ?>) value, out);
    } else if (value instanceof Iterable<?>) {
      writeArray((Iterable<?>) value, out);
    } else if (value == null || value instanceof Boolean || isFinite(value)) {
      out.append(value);
    } else {
      throw new IllegalArgumentException("value cannot be sent as JSON: " + value);
    }
  }

  private static boolean isFinite(Object value) {
    return value instanceof Number && Double.isFinite(((Number) value).doubleValue());
  }

  private static void writeObject(Map<?, ?> members, StringBuilder out) {
    char separator = '{';
    for (Map.Entry<?, ?> member : members.entrySet()) {
      out.append(separator);
      writeString(String.valueOf(member.getKey()), out);
      out.append(':');
      write(member.getValue(), out);
      separator = ',';
    }
    out.append(members.isEmpty() ? "{}" : "}");
  }

  private static void writeArray(Iterable<?> elements, StringBuilder out) {
    out.append('[');
    String separator = "";
    for (Object element : elements) {
      out.append(separator);
      write(element, out);
      separator = ",";
    }
    out.append(']');
  }

  private static void writeString(String value, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append("\\u00")
            .append(Character.forDigit(c >> 4, 16))
            .append(Character.forDigit(c & 15, 16));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
