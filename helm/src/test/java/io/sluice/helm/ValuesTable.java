package io.sluice.helm;

import java.util.List;

/** Markdown table of values of the chart. */
final class ValuesTable {
  private ValuesTable() {}

  static String of(List<Values.Value> values) {
    StringBuilder table = new StringBuilder("| value | default | meaning |\n|---|---|---|\n");
    for (Values.Value value : values) {
      table.append("| `%s` | `%s` | %s |\n".formatted(value.path(), value.preset(), cell(value)));
    }
    return table.toString();
  }

  private static String cell(Values.Value value) {
    return value.comment().replace("|", "\\|");
  }
}
