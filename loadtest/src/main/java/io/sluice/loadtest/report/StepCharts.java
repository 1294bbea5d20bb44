package io.sluice.loadtest.report;

import io.sluice.loadtest.report.Chart.Axis;
import io.sluice.loadtest.report.Chart.Point;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** Charts of figures against load, for measurements with several loads. For one thread. */
final class StepCharts {
  private static final List<Figure> FIGURES = List.of(Figure.P50, Figure.P99, Figure.P999);

  private final Markup page;
  private final List<LoadStep> steps;
  private final Axis x;

  private StepCharts(Markup page, List<LoadStep> steps) {
    this.page = page;
    this.steps = steps.stream().sorted(Comparator.comparingDouble(StepCharts::load)).toList();
    this.x = Axis.linear("target messages/s to all clients");
  }

  static void draw(Markup page, List<LoadStep> steps) {
    StepCharts charts = new StepCharts(page, steps);
    charts.latencies();
    if (steps.stream().allMatch(step -> step.cpuSamples().length > 0)) {
      charts.use("CPU of the gateway against load", "cores", GatewayUsage::cores);
      charts.use("CPU per frame against load", "µs", GatewayUsage::meanMicrosPerFrame);
    }
    charts.memory("Memory of the gateway's process against load", GatewayUsage::memoryBytes);
    charts.memory("Maximum heap of the gateway in use against load", GatewayUsage::heapBytes);
  }

  private void memory(String title, ToDoubleFunction<GatewayUsage> bytes) {
    if (steps.stream().allMatch(step -> use(step, bytes) > 0)) {
      use(title, "MB", use -> bytes.applyAsDouble(use) / 1e6);
    }
  }

  /** Returns the target messages per second to all clients, each with one topic. */
  static double load(LoadStep step) {
    return step.load().clients() * step.load().rate();
  }

  private void latencies() {
    Axis y = Axis.log("latency, ms", FIGURES.stream().flatMapToDouble(this::values));
    Chart chart =
        new Chart("Latency against load, since sent, with 95 % intervals (Student's t)", x, y);
    for (int i = 0; i < FIGURES.size(); i++) {
      int series = i;
      Figure figure = FIGURES.get(i);
      chart.line(
          series, figure.label(), line(step -> Intervals.mean(step.means(Since.SENT, figure))));
      steps.forEach(step -> interval(chart, series, step, figure));
    }
    chart.write(page);
  }

  private DoubleStream values(Figure figure) {
    return steps.stream().flatMapToDouble(s -> Arrays.stream(s.samples(Since.SENT, figure)));
  }

  private static void interval(Chart chart, int series, LoadStep step, Figure figure) {
    double[] samples = step.samples(Since.SENT, figure);
    String name = StepTables.label(step.load()) + ": " + figure.label() + " ";
    if (samples.length < 2) {
      Point at = new Point(load(step), samples[0]);
      chart.dots(series, Map.of(at, name + Numbers.fine(samples[0]) + " ms"));
      return;
    }
    Interval interval = Intervals.student(samples);
    String text = name + interval.toText(3) + " ms";
    Point low = new Point(load(step), interval.low());
    Point high = new Point(load(step), interval.high());
    chart.interval(series, low, new Point(load(step), interval.estimate()), high, text);
  }

  private void use(String title, String unit, ToDoubleFunction<GatewayUsage> figure) {
    List<Point> points = line(step -> use(step, figure));
    Chart chart = new Chart(title, x, Axis.linear(unit));
    chart.line(0, "", points);
    Map<Point, String> texts = new LinkedHashMap<>();
    for (int i = 0; i < points.size(); i++) {
      String name = StepTables.label(steps.get(i).load()) + ": ";
      texts.put(points.get(i), name + Numbers.fine(points.get(i).y()) + " " + unit);
    }
    chart.dots(0, texts);
    chart.write(page);
  }

  /** Returns the mean over a step's runs. */
  private static double use(LoadStep step, ToDoubleFunction<GatewayUsage> figure) {
    return step.runs().stream().map(GatewayUsage::of).mapToDouble(figure).average().orElse(0);
  }

  private List<Point> line(Function<LoadStep, Double> figure) {
    return steps.stream().map(step -> new Point(load(step), figure.apply(step))).toList();
  }
}
