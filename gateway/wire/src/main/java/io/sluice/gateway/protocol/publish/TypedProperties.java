package io.sluice.gateway.protocol.publish;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.value.JsonValue;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Rules of properties, and readers of the members {@code properties} and {@code types}. Stateless,
 * for any thread.
 */
public final class TypedProperties {
  private TypedProperties() {}

  /** Numeric types of JMS properties. */
  enum Type {
    BYTE(Byte.MIN_VALUE, Byte.MAX_VALUE),
    SHORT(Short.MIN_VALUE, Short.MAX_VALUE),
    INT(Integer.MIN_VALUE, Integer.MAX_VALUE),
    LONG(Long.MIN_VALUE, Long.MAX_VALUE),
    FLOAT(0, 0),
    DOUBLE(0, 0);

    private final long min;
    private final long max;

    Type(long min, long max) {
      this.min = min;
      this.max = max;
    }

    private static Type of(String name) {
      return switch (name) {
        case "byte" -> BYTE;
        case "short" -> SHORT;
        case "int" -> INT;
        case "long" -> LONG;
        case "float" -> FLOAT;
        case "double" -> DOUBLE;
        default -> null;
      };
    }

    private boolean isDecimal() {
      return this == FLOAT || this == DOUBLE;
    }

    /** Returns a value that is a number, or the text of one; null if it is neither. */
    private Number number(Object value) {
      if (value instanceof String text) {
        return JsonValue.number(text, isDecimal());
      }
      return value instanceof Number number ? number : null;
    }

    /** Returns the value as this type, or null if it is out of range. */
    private Object convert(Number value) {
      if (this == DOUBLE) {
        return value.doubleValue();
      }
      if (this == FLOAT) {
        float converted = value.floatValue();
        boolean overflows = Float.isInfinite(converted) && !Double.isInfinite(value.doubleValue());
        return overflows ? null : converted;
      }
      long number = value.longValue();
      if (value instanceof Double || number < min || number > max) {
        return null;
      }
      return switch (this) {
        case BYTE -> (byte) number;
        case SHORT -> (short) number;
        case INT -> (int) number;
        default -> number;
      };
    }
  }

  /** Words that Jakarta Messaging excludes from the names of properties. */
  private static final Set<String> RESERVED =
      Set.of("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE");

  static Map<String, Object> properties(JsonParser parser) throws IOException {
    requireObject(parser, "properties");
    Map<String, Object> properties = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      checkName(name);
      parser.nextToken();
      properties.put(name, property(parser, name));
    }
    return properties;
  }

  static Map<String, Type> types(JsonParser parser) throws IOException {
    requireObject(parser, "types");
    Map<String, Type> types = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      boolean isText = parser.nextToken() == JsonToken.VALUE_STRING;
      Type type = isText ? Type.of(parser.getText()) : null;
      if (type == null) {
        throw new BadFrame(
            "type of property \""
                + BadFrame.shortened(name)
                + "\" must be byte, short, int, long, float or double");
      }
      types.put(name, type);
    }
    return types;
  }

  /** Converts the properties that have a type. */
  static void convert(Map<String, Object> properties, Map<String, Type> types) throws BadFrame {
    for (Map.Entry<String, Type> each : types.entrySet()) {
      String name = each.getKey();
      Number number = each.getValue().number(properties.get(name));
      if (number == null) {
        throw bad(name, "has a type, but is not a number");
      }
      Object converted = each.getValue().convert(number);
      if (converted == null) {
        String type = each.getValue().name().toLowerCase(java.util.Locale.ROOT);
        throw bad(name, "is not in the range of " + type);
      }
      properties.put(name, converted);
    }
  }

  private static void requireObject(JsonParser parser, String name) throws BadFrame {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new BadFrame("\"" + name + "\" must be an object");
    }
  }

  /** Checks that a message can have a property of this name. */
  public static void checkName(String name) throws BadFrame {
    boolean valid =
        !name.isEmpty()
            && Character.isLetter(name.charAt(0))
            && name.chars().allMatch(Character::isJavaIdentifierPart)
            && !name.regionMatches(true, 0, "JMS", 0, 3)
            && !name.regionMatches(true, 0, "AMQ", 0, 3);
    if (!valid) {
      throw bad(
          name, "must be a Java identifier that begins with a letter, but not with JMS or AMQ");
    }
    if (RESERVED.contains(name)) {
      throw bad(name, "is a reserved word of message selectors");
    }
  }

  private static Object property(JsonParser parser, String name) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_STRING -> BadFrame.string(parser, name);
      case VALUE_TRUE -> Boolean.TRUE;
      case VALUE_FALSE -> Boolean.FALSE;
      case VALUE_NUMBER_INT -> {
        if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
          throw bad(name, "exceeds 64 bits");
        }
        yield parser.getLongValue();
      }
      case VALUE_NUMBER_FLOAT -> finite(parser.getDoubleValue(), name);
      default -> throw bad(name, "must be a string, number or boolean");
    };
  }

  // JSON cannot represent NaN and infinity.
  private static double finite(double value, String name) throws BadFrame {
    if (!Double.isFinite(value)) {
      throw bad(name, "is too large for a double");
    }
    return value;
  }

  private static BadFrame bad(String name, String why) {
    return new BadFrame("property \"" + BadFrame.shortened(name) + "\" " + why);
  }
}
