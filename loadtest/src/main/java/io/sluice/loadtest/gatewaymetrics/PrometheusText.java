package io.sluice.loadtest.gatewaymetrics;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Metrics in the Prometheus text format. Immutable, for any thread. */
final class PrometheusText {
  // A label's value may contain any character, including braces and escaped quotes.
  private static final Pattern LINE =
      Pattern.compile("([a-zA-Z_:][\\w:]*)(\\{(?:[^\"}]|\"(?:[^\"\\\\]|\\\\.)*\")*})?\\s+(\\S+).*");

  private final List<Line> lines;

  private PrometheusText(List<Line> lines) {
    this.lines = lines;
  }

  /** Parses all valid samples; comments and other lines are skipped. */
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
   * Returns the sum of all samples of a metric.
   *
   * @param label required label such as {@code area="heap"}; empty for any
   * @return nothing without such a sample
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
      // Prometheus writes infinities differently; they cannot be summed.
      return Double.NaN;
    }
  }

  private record Line(String name, String labels, double value) {}
}
