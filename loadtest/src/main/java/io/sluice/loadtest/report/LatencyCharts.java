package io.sluice.loadtest.report;

import io.sluice.loadtest.chart.Chart;
import io.sluice.loadtest.chart.Chart.Axis;
import io.sluice.loadtest.chart.Chart.Point;
import io.sluice.loadtest.chart.Markup;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** Charts of latency distributions: all percentiles, and a comparison of clients. Stateless. */
final class LatencyCharts {
  private static final int POINTS_PER_HALVING = 5;
  private static final List<LatencyMetric> ROWS =
      List.of(
          LatencyMetric.MEAN,
          LatencyMetric.P50,
          LatencyMetric.P95,
          LatencyMetric.P99,
          LatencyMetric.P999);

  private LatencyCharts() {}

  /**
   * Draws all percentiles: of a single run for each start of latencies, otherwise of every run or
   * step.
   */
  static void percentiles(Markup page, Measurement measurement) {
    Map<String, Histogram> series = new LinkedHashMap<>();
    List<LoadStep> steps = LoadStep.of(measurement);
    if (steps.size() > 1) {
      steps.forEach(s -> series.put(StepTables.label(s.load()), merged(s.runs(), Since.DUE)));
    } else if (measurement.runs().size() > 1) {
      measurement.runs().forEach(r -> series.put("run " + r.number(), merged(r, Since.DUE)));
    } else {
      MeasuredRun run = measurement.runs().get(0);
      Arrays.stream(Since.values())
          .filter(since -> LoadStep.has(run, since))
          .forEach(since -> series.put(since.label(), merged(run, since)));
    }
    boolean single = measurement.runs().size() == 1;
    String title =
        "Percentiles of all measured clients' messages together"
            + (single ? "" : ", " + Since.DUE.label());
    percentiles(page, title, series);
  }

  private static void percentiles(Markup page, String title, Map<String, Histogram> series) {
    long count = series.values().stream().mapToLong(Histogram::getTotalCount).max().orElse(1);
    List<List<Point>> curves = series.values().stream().map(LatencyCharts::curve).toList();
    Axis x = Axis.tail("messages with at most this latency, %", count);
    Axis y = Axis.log("latency, ms", curves.stream().flatMap(List::stream).mapToDouble(Point::y));
    Chart chart = new Chart(title, x, y);
    List<String> names = List.copyOf(series.keySet());
    for (int i = 0; i < curves.size(); i++) {
      chart.line(i, names.get(i), curves.get(i));
    }
    chart.write(page);
  }

  /** Returns latencies in milliseconds by the reciprocal of the share of later messages. */
  private static List<Point> curve(Histogram histogram) {
    List<Point> points = new ArrayList<>();
    for (HistogramIterationValue value : histogram.percentiles(POINTS_PER_HALVING)) {
      double tail = 1 - value.getPercentileLevelIteratedTo() / 100;
      double reciprocal = 1 / Math.max(tail, 1.0 / histogram.getTotalCount());
      points.add(new Point(reciprocal, value.getValueIteratedTo() / 1000.0));
    }
    return points;
  }

  private static Histogram merged(MeasuredRun run, Since since) {
    return merged(List.of(run), since);
  }

  private static Histogram merged(List<MeasuredRun> runs, Since since) {
    Histogram sum = new Histogram(3);
    runs.stream()
        .flatMap(run -> run.clients().stream())
        .forEach(client -> sum.add(since.of(client).unpack()));
    return sum;
  }

  /** Draws a dot for each client and metric, and the interval over the clients. */
  static void clients(Markup page, MeasuredRun run, Since since) {
    String title =
        "Each client's latency %s, and the 95 %% confidence interval of their mean"
            .formatted(since.label());
    DoubleStream all =
        ROWS.stream().flatMapToDouble(f -> Arrays.stream(LoadStep.clients(run, since, f)));
    Axis y = Axis.rows(ROWS.stream().map(LatencyMetric::label).toList());
    Chart chart = new Chart(title, Axis.log("latency, ms", all), y);
    for (int row = 0; row < ROWS.size(); row++) {
      row(chart, row, run, since);
    }
    chart.write(page);
  }

  private static void row(Chart chart, int row, MeasuredRun run, Since since) {
    LatencyMetric metric = ROWS.get(row);
    int count = run.clients().size();
    Map<Point, String> dots = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      ClientResult client = run.clients().get(i);
      double millis = metric.millis(since.of(client));
      // Distributed over the row's height to separate equal values.
      double offset = count == 1 ? 0 : 0.6 * i / (count - 1) - 0.3;
      String text =
          "client %d (%s): %s %s ms"
              .formatted(client.number(), client.topic(), metric.label(), Numbers.fine(millis));
      dots.put(new Point(millis, row + offset), text);
    }
    chart.dots(0, dots);
    if (count > 1) {
      Interval interval = Intervals.student(LoadStep.clients(run, since, metric)).boundedAtZero();
      String text = metric.label() + " " + interval.toText(3) + " ms";
      Point low = new Point(interval.low(), row);
      Point high = new Point(interval.high(), row);
      chart.interval(1, low, new Point(interval.estimate(), row), high, text);
    }
  }
}
