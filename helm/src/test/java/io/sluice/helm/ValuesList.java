package io.sluice.helm;

import java.util.List;
import java.util.stream.Collectors;

/** Markdown list of values of the chart, with one sentence each. */
final class ValuesList {
  private ValuesList() {}

  static String of(List<Values.Value> values) {
    return values.stream()
        .map(value -> "- `%s` (`%s`): %s\n".formatted(value.path(), value.preset(), line(value)))
        .collect(Collectors.joining());
  }

  /** Returns the first sentence of the comment. */
  private static String line(Values.Value value) {
    return value.comment().replaceFirst("\\. [A-Z`\"].*", ".");
  }
}
