package io.sluice.loadtest.report;

import io.sluice.loadtest.chart.Chart;
import io.sluice.loadtest.chart.Chart.Axis;
import io.sluice.loadtest.chart.Chart.Point;
import io.sluice.loadtest.chart.Markup;
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
  private static final List<LatencyMetric> METRICS =
      List.of(LatencyMetric.P50, LatencyMetric.P99, LatencyMetric.P999);

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
    Axis y = Axis.log("latency, ms", METRICS.stream().flatMapToDouble(this::values));
    Chart chart =
        new Chart("Latency against load, since due, with 95 % intervals (Student's t)", x, y);
    for (int i = 0; i < METRICS.size(); i++) {
      int series = i;
      LatencyMetric metric = METRICS.get(i);
      chart.line(
          series, metric.label(), line(step -> Intervals.mean(step.means(Since.DUE, metric))));
      steps.forEach(step -> interval(chart, series, step, metric));
    }
    chart.write(page);
  }

  private DoubleStream values(LatencyMetric metric) {
    return steps.stream().flatMapToDouble(s -> Arrays.stream(s.samples(Since.DUE, metric)));
  }

  private static void interval(Chart chart, int series, LoadStep step, LatencyMetric metric) {
    double[] samples = step.samples(Since.DUE, metric);
    String name = StepTables.label(step.load()) + ": " + metric.label() + " ";
    if (samples.length < 2) {
      Point at = new Point(load(step), samples[0]);
      chart.dots(series, Map.of(at, name + Numbers.fine(samples[0]) + " ms"));
      return;
    }
    Interval interval = Intervals.student(samples).boundedAtZero();
    String text = name + interval.toText(3) + " ms";
    Point low = new Point(load(step), interval.low());
    Point high = new Point(load(step), interval.high());
    chart.interval(series, low, new Point(load(step), interval.estimate()), high, text);
  }

  private void use(String title, String unit, ToDoubleFunction<GatewayUsage> metric) {
    List<Point> points = line(step -> use(step, metric));
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
  private static double use(LoadStep step, ToDoubleFunction<GatewayUsage> metric) {
    return step.runs().stream().map(GatewayUsage::of).mapToDouble(metric).average().orElse(0);
  }

  private List<Point> line(Function<LoadStep, Double> metric) {
    return steps.stream().map(step -> new Point(load(step), metric.apply(step))).toList();
  }
}
