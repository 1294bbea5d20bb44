package io.sluice.gateway.protocol.value;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * Values of JMS in JSON, and values of clients that JSON cannot represent: docs/PROTOCOL.md,
 * section 2. Stateless, for any thread.
 */
public final class JsonValue {
  /** Largest integer that every client's language represents exactly. */
  public static final long MAX_EXACT = (1L << 53) - 1;

  private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,19}");
  private static final Pattern DECIMAL =
      Pattern.compile("-?[0-9]{1,32}(\\.[0-9]{1,32})?([eE][+-]?[0-9]{1,5})?");

  private JsonValue() {}

  /** Reports a value of a type that has no form in JSON. */
  public static final class Unrepresentable extends IOException {
    private static final long serialVersionUID = 1L;

    Unrepresentable(Object value) {
      super("a value of type " + value.getClass().getName() + " is not forwarded");
    }
  }

  /**
   * Writes a property, or a value of a map or stream.
   *
   * @param value a value of one of the types of JMS, or null
   * @throws Unrepresentable if it has another type
   */
  public static void write(Object value, JsonGenerator out) throws IOException {
    if (value == null) {
      out.writeNull();
    } else if (value instanceof String || value instanceof Character) {
      out.writeString(value.toString());
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      out.writeNumber(((Number) value).intValue());
    } else if (value instanceof Long number) {
      write(number.longValue(), out);
    } else if (value instanceof Double || value instanceof Float) {
      write((Number) value, out);
    } else if (value instanceof byte[] bytes) {
      out.writeBinary(bytes);
    } else {
      throw new Unrepresentable(value);
    }
  }

  private static void write(long number, JsonGenerator out) throws IOException {
    if (number < -MAX_EXACT || number > MAX_EXACT) {
      out.writeString(Long.toString(number));
    } else {
      out.writeNumber(number);
    }
  }

  private static void write(Number number, JsonGenerator out) throws IOException {
    if (Double.isFinite(number.doubleValue())) {
      out.writeNumber(number.toString());
    } else {
      out.writeString(number.toString());
    }
  }

  /**
   * Returns a number from its text; null if the text is none, or exceeds the range.
   *
   * @param decimal whether the text is a number of JSON, NaN, Infinity or -Infinity, and the result
   *     a Double; otherwise it has decimal digits, and the result is a Long
   */
  public static Number number(String text, boolean decimal) {
    if (decimal) {
      return decimal(text);
    }
    return integer(text);
  }

  private static Long integer(String digits) {
    if (!INTEGER.matcher(digits).matches()) {
      return null;
    }
    try {
      return Long.valueOf(digits);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static Double decimal(String text) {
    return switch (text) {
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> {
        double value = DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
        yield Double.isFinite(value) ? value : null;
      }
    };
  }
}
