package io.sluice.loadtest.report;

import io.sluice.loadtest.report.Plot.Axis;
import io.sluice.loadtest.report.Plot.Point;
import io.sluice.loadtest.result.ClientResult;
import io.sluice.loadtest.result.MeasuredRun;
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

/** Charts of latencies without time: all percentiles, and clients beside each other. */
final class LatencyCharts {
  private static final int POINTS_A_HALVING = 5;
  private static final List<Figure> ROWS =
      List.of(Figure.MEAN, Figure.P50, Figure.P95, Figure.P99, Figure.P999);

  private LatencyCharts() {}

  /** All percentiles: of a single run since either moment, otherwise of every run or step. */
  static void percentiles(Markup page, Measurement measurement) {
    Map<String, Histogram> series = new LinkedHashMap<>();
    List<LoadStep> steps = LoadStep.of(measurement);
    if (steps.size() > 1) {
      steps.forEach(s -> series.put(StepTables.label(s.load()), merged(s.runs(), Since.SENT)));
    } else if (measurement.runs().size() > 1) {
      measurement.runs().forEach(r -> series.put("run " + r.number(), merged(r, Since.SENT)));
    } else {
      MeasuredRun run = measurement.runs().get(0);
      Arrays.stream(Since.values())
          .filter(since -> LoadStep.has(run, since))
          .forEach(since -> series.put(since.label(), merged(run, since)));
    }
    boolean single = measurement.runs().size() == 1;
    String title =
        "Percentiles of all measured clients' messages together"
            + (single ? "" : ", " + Since.SENT.label());
    percentiles(page, title, series);
  }

  private static void percentiles(Markup page, String title, Map<String, Histogram> series) {
    long most = series.values().stream().mapToLong(Histogram::getTotalCount).max().orElse(1);
    List<List<Point>> curves = series.values().stream().map(LatencyCharts::curve).toList();
    Axis x = new Axis("messages that were at most so late, %", TailScale.of(most));
    Axis y =
        new Axis(
            "latency, ms",
            LogScale.of(curves.stream().flatMap(List::stream).mapToDouble(Point::y)));
    Plot plot = Plot.begin(page, title, List.copyOf(series.keySet()), x, y, List.of());
    for (int i = 0; i < curves.size(); i++) {
      plot.line(i, curves.get(i));
    }
    plot.end();
  }

  private static List<Point> curve(Histogram histogram) {
    List<Point> points = new ArrayList<>();
    double last = 100 - 100.0 / histogram.getTotalCount();
    for (HistogramIterationValue value : histogram.percentiles(POINTS_A_HALVING)) {
      double level = Math.min(value.getPercentileLevelIteratedTo(), last);
      points.add(new Point(level, value.getValueIteratedTo() / 1000.0));
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

  /** A dot for each client and figure, and the interval over the clients. */
  static void clients(Markup page, MeasuredRun run, Since since) {
    String title =
        "Each client's latency %s, and the 95 %% interval of their mean".formatted(since.label());
    DoubleStream all =
        ROWS.stream().flatMapToDouble(f -> Arrays.stream(LoadStep.clients(run, since, f)));
    Axis x = new Axis("latency, ms", LogScale.of(all));
    Axis y = new Axis("", new RowScale(ROWS.stream().map(Figure::label).toList()));
    Plot plot = Plot.begin(page, title, List.of(), x, y, List.of());
    for (int row = 0; row < ROWS.size(); row++) {
      row(plot, row, run, since);
    }
    plot.end();
  }

  private static void row(Plot plot, int row, MeasuredRun run, Since since) {
    Figure figure = ROWS.get(row);
    int count = run.clients().size();
    for (int i = 0; i < count; i++) {
      ClientResult client = run.clients().get(i);
      double millis = figure.millis(since.of(client));
      // Spread over the row's height, so that equal ones can be told apart.
      double offset = count == 1 ? 0 : 0.6 * i / (count - 1) - 0.3;
      String title =
          "client %d (%s): %s %s ms"
              .formatted(client.number(), client.topic(), figure.label(), Numbers.fine(millis));
      plot.dot(0, new Point(millis, row + offset), title);
    }
    if (count > 1) {
      Interval interval = Intervals.student(LoadStep.clients(run, since, figure));
      String title = figure.label() + " " + interval.toText(3) + " ms";
      plot.bar(1, new Point(interval.low(), row), new Point(interval.high(), row), title);
    }
  }
}
