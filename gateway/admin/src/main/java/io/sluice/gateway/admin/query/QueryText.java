package io.sluice.gateway.admin.query;

import static io.sluice.gateway.admin.query.JsonCells.count;
import static io.sluice.gateway.admin.query.JsonCells.decimal;
import static io.sluice.gateway.admin.query.JsonCells.objects;
import static io.sluice.gateway.admin.query.JsonCells.seconds;
import static io.sluice.gateway.admin.query.JsonCells.strings;
import static io.sluice.gateway.admin.query.JsonCells.text;
import static io.sluice.gateway.admin.query.JsonCells.time;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * Responses of queries as lines for people. Stateless, for any thread.
 *
 * <p>All methods throw a {@link ClassCastException} or a {@link NullPointerException} if the
 * response is not that of a node.
 */
public final class QueryText {
  private static final String NODE = "node";
  private static final String TOPIC = "topic";

  private QueryText() {}

  /** Returns one line for each node whose answer is missing. */
  public static List<String> missing(JsonObject response) {
    return objects(response.getJsonArray("nodes", new JsonArray()))
        .filter(node -> !node.getString("status").equals("ok"))
        .map(node -> "node " + text(node, NODE) + " is missing: " + text(node, "error"))
        .map(QueryText::printable)
        .toList();
  }

  /** Returns the list of topics. */
  public static List<String> topics(JsonObject response) {
    TextTable table =
        new TextTable(
            "topic",
            "#messages/s",
            "#payload B/s",
            "#subscribers",
            "#log",
            "#log age",
            "#gaps",
            "consumer");
    objects(response.getJsonArray("topics")).forEach(topic -> table.add(topic(topic)));
    return withTotal(table, response);
  }

  private static String[] topic(JsonObject topic) {
    return new String[] {
      selected(topic),
      decimal(topic, "rate"),
      decimal(topic, "bytes-rate"),
      count(topic, "subscribers"),
      count(topic, "log"),
      seconds(topic, "log-age-ms"),
      count(topic, "gaps"),
      text(topic, "consumer")
    };
  }

  private static List<String> withTotal(TextTable table, JsonObject response) {
    List<String> lines = new ArrayList<>(table.lines());
    lines.add((lines.size() - 1) + " of " + count(response, "total"));
    return lines;
  }

  /** Returns a topic by node, and its subscribers. */
  public static List<String> topicDetail(JsonObject response) {
    TextTable interests =
        new TextTable(
            NODE, TOPIC, "#messages/s", "#subscribers", "#log", "latest message", "consumer");
    objects(response.getJsonArray("interests"))
        .forEach(
            each ->
                interests.add(
                    text(each, NODE),
                    selected(each),
                    decimal(each, "rate"),
                    count(each, "subscribers"),
                    count(each, "log"),
                    time(each, "last-message-ms"),
                    text(each, "consumer")));
    TextTable subscribers =
        new TextTable(NODE, "session", "subject", "subscription", "#position", "#lag");
    objects(response.getJsonArray("subscriptions"))
        .forEach(
            each ->
                subscribers.add(
                    text(each, NODE),
                    text(each, "session"),
                    text(each, "subject"),
                    selected(each),
                    count(each, "position"),
                    count(each, "lag")));
    List<String> lines = new ArrayList<>(interests.lines());
    lines.add("");
    lines.addAll(subscribers.lines());
    lines.add(subscribers.lines().size() - 1 + " of " + count(response, "subscribers"));
    return lines;
  }

  /** Returns the list of clients. */
  public static List<String> clients(JsonObject response) {
    TextTable table = newClients();
    objects(response.getJsonArray("clients")).forEach(client -> addClient(table, client));
    return withTotal(table, response);
  }

  private static TextTable newClients() {
    return new TextTable(
        NODE,
        "session",
        "subject",
        "address",
        "since",
        "#subscriptions",
        "#pending B",
        "#rtt ms",
        "#gaps");
  }

  private static void addClient(TextTable table, JsonObject client) {
    table.add(
        text(client, NODE),
        text(client, "session"),
        text(client, "subject"),
        text(client, "address"),
        time(client, "since"),
        count(client, "subscriptions"),
        count(client, "pending-bytes"),
        count(client, "rtt-ms"),
        count(client, "gaps"));
  }

  /** Returns a client with its permissions and subscriptions. */
  public static List<String> client(JsonObject response) {
    TextTable client = newClients();
    addClient(client, response);
    TextTable permissions = new TextTable("operation", "patterns");
    JsonObject granted = response.getJsonObject("permissions");
    granted
        .fieldNames()
        .forEach(
            name ->
                permissions.add(
                    name, String.join(", ", strings(granted.getJsonArray(name)).toList())));
    TextTable subscribed = new TextTable("subscription", "since", "#position", "#lag", "#gaps");
    objects(response.getJsonArray("subscribed"))
        .forEach(
            each ->
                subscribed.add(
                    selected(each),
                    time(each, "since"),
                    count(each, "position"),
                    count(each, "lag"),
                    count(each, "gaps")));
    List<String> lines = new ArrayList<>(client.lines());
    lines.add("");
    lines.addAll(permissions.lines());
    lines.add("");
    lines.addAll(subscribed.lines());
    if (response.containsKey("recent-frames")) {
      lines.add("");
      lines.addAll(RecordText.frames(response));
    }
    return lines;
  }

  /** Returns the figures of the nodes and, in the last line, of the cluster. */
  public static List<String> overview(JsonObject response) {
    TextTable table =
        new TextTable(
            NODE,
            "broker",
            "#clients",
            "#messages/s",
            "#frames/s",
            "#sent B/s",
            "#p50 ms",
            "#p99 ms",
            "#p99.9 ms",
            "#lag ms");
    objects(response.getJsonArray("by-node"))
        .forEach(each -> addFigures(table, text(each, NODE), text(each, "broker"), each));
    addFigures(table, "cluster", "", response.getJsonObject("cluster"));
    return table.lines();
  }

  private static void addFigures(TextTable table, String name, String broker, JsonObject figures) {
    table.add(
        name,
        broker,
        count(figures, "clients"),
        decimal(figures, "messages-rate"),
        decimal(figures, "frames-rate"),
        decimal(figures, "bytes-rate"),
        decimal(figures, "latency-p50-ms"),
        decimal(figures, "latency-p99-ms"),
        decimal(figures, "latency-p999-ms"),
        decimal(figures, "loop-lag-ms"));
  }

  /** Returns the steps, and the answer in the last line. */
  public static List<String> why(JsonObject response) {
    TextTable table = new TextTable("step", "result", "node", "detail");
    objects(response.getJsonArray("steps"))
        .forEach(
            step ->
                table.add(
                    text(step, "step"),
                    text(step, "result"),
                    text(step, NODE),
                    text(step, "detail")));
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    lines.add(printable(text(response, "answer")));
    return lines;
  }

  private static String printable(String line) {
    return line.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
  }

  private static String selected(JsonObject json) {
    String where = json.getString("where");
    return where == null ? text(json, TOPIC) : text(json, TOPIC) + " where " + where;
  }
}
