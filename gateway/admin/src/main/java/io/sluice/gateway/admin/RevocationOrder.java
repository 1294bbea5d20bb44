package io.sluice.gateway.admin;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.value.JsonReader;
import io.sluice.gateway.revocation.Revocation;
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
 * Operator's request to revoke a credential or to close a session. Immutable, for any thread.
 *
 * @param kind token, certificate, subject or session
 * @param value identifier, not empty; for a certificate in the form of {@link #serial}
 * @param expiresMs expiry of the token or certificate, in milliseconds since 1970; {@link
 *     Principal#NEVER} if it is not specified
 */
record RevocationOrder(String kind, String value, long expiresMs) {
  /** Maximum length of an identifier. */
  static final int MAX_LENGTH = Revocation.MAX_LENGTH;

  private static final List<String> KINDS = List.of("token", "certificate", "subject", "session");
  private static final Set<String> EXPIRING = Set.of("token", "certificate");
  private static final String EXPIRES = "expires";
  private static final Pattern HEXADECIMAL = Pattern.compile("[0-9a-fA-F]+");
  private static final int HEXADECIMAL_RADIX = 16;
  private static final int MAX_QUOTE = 40;

  /**
   * Reads the body of a request.
   *
   * @param nowMs current time, in milliseconds since 1970
   * @throws IllegalArgumentException with an error message of one line
   */
  static RevocationOrder parse(Buffer body, long nowMs) {
    Map<String, Object> members = members(body);
    List<String> given = KINDS.stream().filter(members::containsKey).toList();
    if (given.size() != 1) {
      throw new IllegalArgumentException(
          "exactly one of token, certificate, subject and session is required");
    }
    String kind = given.get(0);
    for (String name : members.keySet()) {
      if (!name.equals(kind) && !(EXPIRING.contains(kind) && name.equals(EXPIRES))) {
        throw new IllegalArgumentException(quote(name) + " is not allowed with " + kind);
      }
    }
    String value = value(members, kind);
    return new RevocationOrder(
        kind, kind.equals("certificate") ? serial(value) : value, expires(members, nowMs));
  }

  private static Map<String, Object> members(Buffer body) {
    Map<String, Object> members = new LinkedHashMap<>();
    try (JsonParser parser = JsonReader.parser(body.getBytes())) {
      boolean object = parser.nextToken() == JsonToken.START_OBJECT;
      while (object && parser.nextToken() == JsonToken.FIELD_NAME) {
        members.put(parser.currentName(), scalar(parser));
      }
      if (object && parser.nextToken() == null) {
        return members;
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "the body is not a JSON object: " + BadFrame.shortened(e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw new IllegalArgumentException("the body is not a JSON object", e);
    }
    throw new IllegalArgumentException("the body is not a JSON object");
  }

  /** Returns a String, a Long, or the token of any other value. */
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

  /** Returns a quoted name for a message of one line. */
  private static String quote(String name) {
    String quoted = name.length() <= MAX_QUOTE ? name : name.substring(0, MAX_QUOTE) + "…";
    return '"' + quoted.replaceAll("\\p{Cntrl}", "?") + '"';
  }

  private static String value(Map<String, Object> members, String kind) {
    if (members.get(kind) instanceof String text
        && !text.isEmpty()
        && text.length() <= MAX_LENGTH) {
      return text;
    }
    throw new IllegalArgumentException(
        kind + " is not a text of 1 to " + MAX_LENGTH + " characters");
  }

  /**
   * Returns a serial number in normalized form: {@code a1f} for {@code 0A:1F}.
   *
   * @throws IllegalArgumentException with an error message of one line
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
    if (ms <= nowMs) { // the request would have no effect
      throw new IllegalArgumentException(
          "expires has passed already: "
              + ms
              + " Unix milliseconds are "
              + Instant.ofEpochMilli(ms));
    }
    return ms;
  }
}
