package io.sluice.gateway.admin;

import io.sluice.gateway.auth.Principal;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * What an operator wants to be withdrawn. Immutable.
 *
 * @param kind token, subject or session
 * @param value its name, not empty
 * @param expiresMs when the token ends by itself, Unix milliseconds; {@link Principal#NEVER} if
 *     that is not said
 */
record RevocationOrder(String kind, String value, long expiresMs) {
  /** Characters of a name. */
  static final int LONGEST = 1024;

  private static final List<String> KINDS = List.of("token", "subject", "session");
  private static final String EXPIRES = "expires";

  /**
   * Reads the body of a request.
   *
   * @throws IllegalArgumentException with one line for people
   */
  static RevocationOrder parse(Buffer body) {
    JsonObject json = object(body);
    List<String> given = KINDS.stream().filter(json::containsKey).toList();
    if (given.size() != 1) {
      throw new IllegalArgumentException("exactly one of token, subject and session is needed");
    }
    String kind = given.get(0);
    for (String name : json.fieldNames()) {
      if (!name.equals(kind) && !(kind.equals("token") && name.equals(EXPIRES))) {
        throw new IllegalArgumentException("\"" + name + "\" has no meaning beside " + kind);
      }
    }
    return new RevocationOrder(kind, value(json, kind), expires(json));
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
