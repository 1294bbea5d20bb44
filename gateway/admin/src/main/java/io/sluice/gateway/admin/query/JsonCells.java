package io.sluice.gateway.admin.query;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.stream.Stream;

/** Members of JSON objects as texts of table cells; empty for a missing member. Stateless. */
final class JsonCells {
  private JsonCells() {}

  static Stream<JsonObject> objects(JsonArray array) {
    return array.stream().map(JsonObject.class::cast);
  }

  static Stream<String> strings(JsonArray array) {
    return array.stream().map(String.class::cast);
  }

  static String text(JsonObject json, String member) {
    String text = json.getString(member);
    return text == null ? "" : text;
  }

  static String count(JsonObject json, String member) {
    Long count = json.getLong(member);
    return count == null ? "" : String.format(Locale.ROOT, "%,d", count);
  }

  static String decimal(JsonObject json, String member) {
    Double value = json.getDouble(member);
    return value == null ? "" : String.format(Locale.ROOT, "%,.1f", value);
  }

  static String seconds(JsonObject json, String member) {
    Long ms = json.getLong(member);
    return ms == null ? "" : String.format(Locale.ROOT, "%,.1f s", ms / 1_000.0);
  }

  /** Returns a time in Unix milliseconds, without its milliseconds. */
  static String time(JsonObject json, String member) {
    Long ms = json.getLong(member);
    return ms == null ? "" : Instant.ofEpochMilli(ms).truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
