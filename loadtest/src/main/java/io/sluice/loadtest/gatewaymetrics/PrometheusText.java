package io.sluice.loadtest.gatewaymetrics;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One answer in Prometheus' text format. Immutable. */
final class PrometheusText {
  // A label's value may hold anything, braces and escaped quotes too.
  private static final Pattern LINE =
      Pattern.compile("([a-zA-Z_:][\\w:]*)(\\{(?:[^\"}]|\"(?:[^\"\\\\]|\\\\.)*\")*})?\\s+(\\S+).*");

  private final List<Line> lines;

  private PrometheusText(List<Line> lines) {
    this.lines = lines;
  }

  /** Takes what it understands; comments and everything else are passed over. */
  static PrometheusText parse(String text) {
    List<Line> lines = new ArrayList<>();
    text.lines()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .map(PrometheusText::line)
        .filter(line -> Double.isFinite(line.value()))
        .forEach(lines::add);
    return new PrometheusText(List.copyOf(lines));
  }

  /**
   * The sum of all lines of a name.
   *
   * @param label that they must have, such as {@code area="heap"}; empty for any
   * @return nothing if there is no such line
   */
  OptionalDouble sum(String name, String label) {
    double[] values =
        lines.stream()
            .filter(line -> line.name().equals(name) && line.labels().contains(label))
            .mapToDouble(Line::value)
            .toArray();
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return values.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(sum);
  }

  private static Line line(Matcher matcher) {
    String labels = matcher.group(2) == null ? "" : matcher.group(2);
    return new Line(matcher.group(1), labels, number(matcher.group(3)));
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      // Prometheus writes its infinities differently; none of them can be summed.
      return Double.NaN;
    }
  }

  private record Line(String name, String labels, double value) {}
}
