package io.sluice.gateway.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.auth.Principal;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What an operator wants to be withdrawn. Immutable.
 *
 * @param kind token, certificate, subject or session
 * @param value its name, not empty; a certificate's as {@link #serial} writes it
 * @param expiresMs when the token or certificate ends by itself, Unix milliseconds; {@link
 *     Principal#NEVER} if that is not said
 */
record RevocationOrder(String kind, String value, long expiresMs) {
  /** Characters of a name. */
  static final int LONGEST = 1024;

  private static final List<String> KINDS = List.of("token", "certificate", "subject", "session");
  private static final Set<String> EXPIRING = Set.of("token", "certificate");
  private static final String EXPIRES = "expires";
  private static final Pattern HEXADECIMAL = Pattern.compile("[0-9a-fA-F]+");
  private static final int HEXADECIMAL_RADIX = 16;
  private static final int LONGEST_QUOTE = 40;
  static final JsonFactory JSON =
      JsonFactory.builder()
          // Names in untrusted JSON are not remembered between documents.
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .build();

  /**
   * Reads the body of a request.
   *
   * @param nowMs Unix milliseconds
   * @throws IllegalArgumentException with one line for people
   */
  static RevocationOrder parse(Buffer body, long nowMs) {
    Map<String, Object> members = members(body);
    List<String> given = KINDS.stream().filter(members::containsKey).toList();
    if (given.size() != 1) {
      throw new IllegalArgumentException(
          "exactly one of token, certificate, subject and session is needed");
    }
    String kind = given.get(0);
    for (String name : members.keySet()) {
      if (!name.equals(kind) && !(EXPIRING.contains(kind) && name.equals(EXPIRES))) {
        throw new IllegalArgumentException(quote(name) + " has no meaning beside " + kind);
      }
    }
    String value = value(members, kind);
    return new RevocationOrder(
        kind, kind.equals("certificate") ? serial(value) : value, expires(members, nowMs));
  }

  private static Map<String, Object> members(Buffer body) {
    Map<String, Object> members = new LinkedHashMap<>();
    try (JsonParser parser = JSON.createParser(body.getBytes())) {
      boolean object = parser.nextToken() == JsonToken.START_OBJECT;
      while (object && parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        if (members.put(name, scalar(parser)) != null) { // of which one would be forgotten
          throw new IllegalArgumentException(quote(name) + " is there twice");
        }
      }
      if (object && parser.nextToken() == null) {
        return members;
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("the body is not a JSON object", e);
    }
    throw new IllegalArgumentException("the body is not a JSON object");
  }

  /** A text, a whole number that is not too large, or something that is neither. */
  private static Object scalar(JsonParser parser) throws IOException {
    JsonToken token = parser.nextToken();
    if (token == JsonToken.VALUE_STRING) {
      return parser.getText();
    }
    if (token == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      return parser.getLongValue();
    }
    parser.skipChildren();
    return token;
  }

  /** For people, on one line. */
  private static String quote(String name) {
    String shown = name.length() <= LONGEST_QUOTE ? name : name.substring(0, LONGEST_QUOTE) + "…";
    return '"' + shown.replaceAll("\\p{Cntrl}", "?") + '"';
  }

  private static String value(Map<String, Object> members, String kind) {
    if (members.get(kind) instanceof String text && !text.isEmpty() && text.length() <= LONGEST) {
      return text;
    }
    throw new IllegalArgumentException(kind + " is not a text of 1 to " + LONGEST + " characters");
  }

  /**
   * A serial number as the node knows it, however a tool has printed it: {@code 0A:1F} is {@code
   * a1f}.
   *
   * @throws IllegalArgumentException with one line for people
   */
  static String serial(String hexadecimal) {
    String digits = hexadecimal.replace(":", "");
    if (!HEXADECIMAL.matcher(digits).matches()) {
      throw new IllegalArgumentException(
          "certificate is not a serial number in hexadecimal, such as 0A:1F or a1f");
    }
    return new BigInteger(digits, HEXADECIMAL_RADIX).toString(HEXADECIMAL_RADIX);
  }

  private static long expires(Map<String, Object> members, long nowMs) {
    if (!members.containsKey(EXPIRES)) {
      return Principal.NEVER;
    }
    if (!(members.get(EXPIRES) instanceof Long ms)) {
      throw new IllegalArgumentException("expires is not a whole number of Unix milliseconds");
    }
    if (ms <= nowMs) { // nothing would be withdrawn, and that be taken for done
      throw new IllegalArgumentException(
          "expires has passed already: "
              + ms
              + " Unix milliseconds are "
              + Instant.ofEpochMilli(ms));
    }
    return ms;
  }
}
