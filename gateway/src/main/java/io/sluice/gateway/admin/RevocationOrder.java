package io.sluice.gateway.admin;

import io.sluice.gateway.auth.Principal;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.util.List;
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

  /**
   * Reads the body of a request.
   *
   * @throws IllegalArgumentException with one line for people
   */
  static RevocationOrder parse(Buffer body) {
    JsonObject json = object(body);
    List<String> given = KINDS.stream().filter(json::containsKey).toList();
    if (given.size() != 1) {
      throw new IllegalArgumentException(
          "exactly one of token, certificate, subject and session is needed");
    }
    String kind = given.get(0);
    for (String name : json.fieldNames()) {
      if (!name.equals(kind) && !(EXPIRING.contains(kind) && name.equals(EXPIRES))) {
        throw new IllegalArgumentException("\"" + name + "\" has no meaning beside " + kind);
      }
    }
    String value = value(json, kind);
    return new RevocationOrder(
        kind, kind.equals("certificate") ? serial(value) : value, expires(json));
  }

  private static JsonObject object(Buffer body) {
    try {
      return new JsonObject(body);
    } catch (DecodeException | ClassCastException e) {
      throw new IllegalArgumentException("the body is not a JSON object", e);
    }
  }

  private static String value(JsonObject json, String kind) {
    Object value = json.getValue(kind);
    if (value instanceof String text && !text.isEmpty() && text.length() <= LONGEST) {
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

  private static long expires(JsonObject json) {
    if (!json.containsKey(EXPIRES)) {
      return Principal.NEVER;
    }
    Object value = json.getValue(EXPIRES);
    if (value instanceof Integer || value instanceof Long) {
      return ((Number) value).longValue();
    }
    throw new IllegalArgumentException("expires is not a whole number of Unix milliseconds");
  }
}
