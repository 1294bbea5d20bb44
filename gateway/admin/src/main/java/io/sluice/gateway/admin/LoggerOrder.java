package io.sluice.gateway.admin;

import io.sluice.gateway.config.AdminSettings;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Set;

/**
 * Operator's request to change the level of a logger. Immutable, for any thread.
 *
 * @param logger name of the logger; ROOT for the root
 * @param level new level, or {@link #CONFIGURED}
 * @param seconds duration of the change; 0 until it is changed again
 */
record LoggerOrder(String logger, String level, int seconds) {
  /** Level that ends a change. */
  static final String CONFIGURED = "configured";

  private static final String ROOT = "ROOT";
  private static final int MAX_SECONDS = 7 * 86_400;
  private static final Set<String> MEMBERS = Set.of("logger", "level", "for");

  /**
   * Reads the body of a request.
   *
   * @throws IllegalArgumentException with an error message of one line
   */
  static LoggerOrder parse(Buffer body) {
    JsonObject json = object(body);
    for (String member : json.fieldNames()) {
      if (!MEMBERS.contains(member)) {
        throw new IllegalArgumentException("a member is unknown; expected logger, level and for");
      }
    }
    String name = text(json, "logger");
    String logger = name.equalsIgnoreCase(ROOT) ? ROOT : name;
    String level = text(json, "level");
    if (!level.equals(CONFIGURED)) {
      String problem = AdminSettings.logLevelProblem(logger, level);
      if (!problem.isEmpty()) {
        throw new IllegalArgumentException(problem);
      }
    }
    return new LoggerOrder(logger, level, seconds(json));
  }

  private static JsonObject object(Buffer body) {
    try {
      return new JsonObject(body);
    } catch (DecodeException | ClassCastException e) {
      throw new IllegalArgumentException("the body is not a JSON object", e);
    }
  }

  private static String text(JsonObject json, String name) {
    if (json.getValue(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(name + " is missing or not a text");
  }

  private static int seconds(JsonObject json) {
    if (!json.containsKey("for")) {
      return 0;
    }
    if (json.getValue("for") instanceof Integer seconds && seconds >= 1 && seconds <= MAX_SECONDS) {
      return seconds;
    }
    throw new IllegalArgumentException(
        "for is not a whole number of seconds from 1 to " + MAX_SECONDS);
  }
}
