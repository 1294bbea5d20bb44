package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * List of a cluster's nodes from one of them. Immutable, for any thread.
 *
 * @param source the admin port that returned the list
 * @param node the name of the node with that port
 * @param json the whole response
 */
record ClusterList(URI source, String node, List<Member> nodes, JsonObject json) {
  private static final List<String> HEAD =
      List.of(
          "node",
          "state",
          "clients",
          "messages/s",
          "cpu",
          "lag",
          "version",
          "clients' URL",
          "admin port");
  private static final int FIRST_FIGURE = 2;
  private static final int LAST_FIGURE = 5;
  private static final String GAP = "  ";

  /** Node of the cluster; unknown texts are empty, unknown figures 0. */
  record Member(
      String name,
      String state,
      String version,
      String publicUrl,
      String adminUrl,
      int connections,
      double messageRate,
      double cpu,
      double loopLagMs) {

    Member {
      Stream.of(name, state, version, publicUrl, adminUrl).forEach(Objects::requireNonNull);
    }

    private static Member of(JsonObject json) {
      JsonObject load = json.getJsonObject("load");
      return new Member(
          json.getString("name"),
          json.getString("state"),
          json.getString("version"),
          json.getString("public-url"),
          json.getString("admin-url"),
          load.getInteger("connections"),
          load.getDouble("message-rate"),
          load.getDouble("cpu"),
          load.getDouble("loop-lag-ms"));
    }
  }

  /**
   * Parses the response of a node.
   *
   * @throws CommandFailure if the response is not that of a node
   */
  static ClusterList of(URI source, JsonObject json) {
    try {
      JsonArray nodes = json.getJsonArray("nodes");
      List<Member> members =
          IntStream.range(0, nodes.size())
              .mapToObj(i -> Member.of(nodes.getJsonObject(i)))
              .toList();
      return new ClusterList(source, Objects.requireNonNull(json.getString("node")), members, json);
    } catch (ClassCastException | NullPointerException e) {
      throw AdminClient.unexpectedResponse(e);
    }
  }

  /**
   * Returns the node with a name.
   *
   * @throws CommandFailure if there is none
   */
  Member member(String name) {
    return nodes.stream()
        .filter(member -> member.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new CommandFailure("unknown node \"" + name + "\"; the nodes are " + names()));
  }

  private String names() {
    return nodes.stream()
        .map(Member::name)
        .map(AdminClient::printable)
        .collect(Collectors.joining(", "));
  }

  /** Returns the nodes as a table for people, one line each. */
  List<String> table() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    nodes.forEach(member -> rows.add(row(member)));
    int[] widths = widths(rows);
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static List<String> row(Member member) {
    return List.of(
        text(member.name()),
        text(member.state()),
        format("%,d", member.connections()),
        format("%,.0f", member.messageRate()),
        format("%.0f %%", 100 * member.cpu()),
        format("%.1f ms", member.loopLagMs()),
        text(member.version()),
        text(member.publicUrl()),
        text(member.adminUrl()));
  }

  private static String format(String pattern, Object value) {
    return String.format(Locale.ROOT, pattern, value);
  }

  private static String text(String value) {
    return value.isEmpty() ? "-" : AdminClient.printable(value);
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[HEAD.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String space = " ".repeat(widths[i] - row.get(i).length());
      boolean figure = i >= FIRST_FIGURE && i <= LAST_FIGURE;
      line.append(figure ? space + row.get(i) : row.get(i) + space).append(GAP);
    }
    return line.toString().stripTrailing();
  }
}
