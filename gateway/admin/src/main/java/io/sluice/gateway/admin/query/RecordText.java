package io.sluice.gateway.admin.query;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Audit records, configuration, frames and messages as lines for people. Stateless, for any thread.
 *
 * <p>All methods throw a {@link ClassCastException} or a {@link NullPointerException} if the
 * response is not that of a node.
 */
public final class RecordText {
  private static final Set<String> OWN_COLUMNS = Set.of("time", "node", "event");

  private RecordText() {}

  /** Returns the records of the audit log, the latest first. */
  public static List<String> audit(JsonObject response) {
    TextTable table = new TextTable("time", "node", "event", "details");
    JsonCells.objects(response.getJsonArray("records"))
        .forEach(
            each ->
                table.add(
                    JsonCells.text(each, "time"),
                    JsonCells.text(each, "node"),
                    JsonCells.text(each, "event"),
                    details(each)));
    return table.lines();
  }

  private static String details(JsonObject json) {
    return json.fieldNames().stream()
        .filter(name -> !OWN_COLUMNS.contains(name))
        .map(name -> name + "=" + json.getValue(name))
        .collect(Collectors.joining(" "));
  }

  /**
   * Returns the keys of a configuration with their values and origins.
   *
   * @param search text that the key or the origin contains
   */
  public static List<String> configuration(JsonObject response, String search) {
    TextTable table = new TextTable("key", "origin", "file", "value");
    JsonCells.objects(response.getJsonArray("keys"))
        .filter(each -> (each.getString("key") + " " + each.getString("origin")).contains(search))
        .forEach(
            each ->
                table.add(
                    JsonCells.text(each, "key"),
                    JsonCells.text(each, "origin"),
                    each.getBoolean("pending") ? "changed" : "",
                    JsonCells.text(each, "value")));
    return table.lines();
  }

  /** Returns the traced frames of a client, the oldest first. */
  public static List<String> frames(JsonObject client) {
    TextTable table = new TextTable("time", "direction", "type", "topic", "#B");
    JsonCells.objects(client.getJsonArray("recent-frames"))
        .forEach(
            each ->
                table.add(
                    Instant.ofEpochMilli(each.getLong("at")).toString(),
                    JsonCells.text(each, "direction"),
                    JsonCells.text(each, "type"),
                    JsonCells.text(each, "topic"),
                    JsonCells.count(each, "bytes")));
    return table.lines();
  }

  /** Returns a message of a tail. */
  public static String message(JsonObject event) {
    long skipped = event.getLong("skipped");
    Object payload = event.getValue("payload");
    String line =
        Instant.ofEpochMilli(event.getLong("at"))
            + "  "
            + event.getString("topic")
            + "  "
            + event.getString("kind")
            + " of "
            + JsonCells.count(event, "bytes")
            + " B"
            + (skipped == 0 ? "" : "  " + skipped + " skipped before")
            + (payload == null ? "" : "  " + payload);
    return line.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
  }
}
