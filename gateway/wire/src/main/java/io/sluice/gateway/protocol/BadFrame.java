package io.sluice.gateway.protocol;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.protocol.value.JsonValue;
import java.io.IOException;

/** Client frame with a missing member or one of the wrong type. */
public final class BadFrame extends IOException {
  /** Largest integer that every client's language represents exactly. */
  public static final long MAX_EXACT = JsonValue.MAX_EXACT;

  private static final long serialVersionUID = 1L;
  private static final int MAX_QUOTED = 64;

  public BadFrame(String message) {
    super(message);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this; // reported to the client as a value, not a bug
  }

  /** Returns a member's text. */
  public static String string(JsonParser parser, String name) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      throw new BadFrame("\"" + name + "\" must be a string");
    }
    return text(parser.getText(), name);
  }

  /** Returns a text of a client, which the node can write as UTF-8. */
  public static String text(String text, String name) throws BadFrame {
    if (!JsonText.isWellFormed(text)) {
      throw new BadFrame("\"" + shortened(name) + "\" has an unpaired surrogate");
    }
    return text;
  }

  /** Copies a member's value of any type. The digits of numbers do not change. */
  public static void copy(JsonParser parser, String name, JsonGenerator out) throws IOException {
    int depth = 0;
    do {
      JsonToken token = depth == 0 ? parser.currentToken() : parser.nextToken();
      switch (token) {
        case FIELD_NAME -> out.writeFieldName(text(parser.currentName(), name));
        case VALUE_STRING -> out.writeString(text(parser.getText(), name));
        case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> out.writeNumber(parser.getText());
        default -> out.copyCurrentEvent(parser);
      }
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
    } while (depth > 0);
  }

  /** Returns a member's truth value. */
  public static boolean flag(JsonParser parser, String name) throws IOException {
    boolean value = parser.currentToken() == JsonToken.VALUE_TRUE;
    if (!value && parser.currentToken() != JsonToken.VALUE_FALSE) {
      throw new BadFrame("\"" + name + "\" must be true or false");
    }
    return value;
  }

  /** Returns a member's whole number. */
  public static long integer(JsonParser parser, String name, long min, long max)
      throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT
        || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
        || parser.getLongValue() < min
        || parser.getLongValue() > max) {
      String to = max == MAX_EXACT ? "2^53-1" : String.valueOf(max);
      throw new BadFrame("\"" + name + "\" must be a whole number from " + min + " to " + to);
    }
    return parser.getLongValue();
  }

  /** Returns a client's text as a part of an error message. */
  public static String shortened(String text) {
    String start = text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "…";
    return start.replaceAll("\\p{Cntrl}", "?");
  }
}
