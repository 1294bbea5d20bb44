package io.sluice.gateway.cli;

import io.sluice.gateway.cli.ClusterList.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The nodes of a cluster for people, a line each. Stateless, for any thread. */
final class ClusterTable {
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

  private ClusterTable() {}

  static List<String> lines(ClusterList list) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    list.nodes().forEach(member -> rows.add(row(member)));
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

  private static String text(String told) {
    return told.isEmpty() ? "-" : AdminClient.printable(told);
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
