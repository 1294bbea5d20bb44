package io.sluice.loadtest.report;

import io.sluice.loadtest.report.Plot.Axis;
import io.sluice.loadtest.report.Plot.Point;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** Charts of figures against load, for measurements that have several loads. */
final class StepCharts {
  private static final List<Figure> FIGURES = List.of(Figure.P50, Figure.P99, Figure.P999);

  private final Markup page;
  private final List<LoadStep> steps;
  private final Axis x;

  private StepCharts(Markup page, List<LoadStep> steps) {
    this.page = page;
    this.steps = steps.stream().sorted(Comparator.comparingDouble(StepCharts::load)).toList();
    double most = steps.stream().mapToDouble(StepCharts::load).max().orElse(1);
    this.x = new Axis("messages/s to all clients, asked for", LinearScale.to(most));
  }

  static void draw(Markup page, List<LoadStep> steps) {
    StepCharts charts = new StepCharts(page, steps);
    charts.latencies();
    if (steps.stream().allMatch(step -> step.cpuSamples().length > 0)) {
      charts.use("CPU of the gateway against load", "cores", GatewayUse::cores);
      charts.use("CPU a frame against load", "µs", GatewayUse::meanMicrosAFrame);
    }
    charts.memory("Memory of the gateway's process against load", GatewayUse::memoryBytes);
    charts.memory("Heap of the gateway in use, at most, against load", GatewayUse::heapBytes);
  }

  private void memory(String title, ToDoubleFunction<GatewayUse> bytes) {
    if (steps.stream().allMatch(step -> use(step, bytes) > 0)) {
      use(title, "MB", use -> bytes.applyAsDouble(use) / 1e6);
    }
  }

  /** Messages a second that all clients together should get, each with one topic. */
  static double load(LoadStep step) {
    return step.load().clients() * step.load().rate();
  }

  private void latencies() {
    Scale scale = LogScale.of(FIGURES.stream().flatMapToDouble(this::values));
    List<String> names = FIGURES.stream().map(Figure::label).toList();
    String title = "Latency against load, since sent, with 95 % intervals (Student's t)";
    Plot plot = Plot.begin(page, title, names, x, new Axis("latency, ms", scale), List.of());
    for (int i = 0; i < FIGURES.size(); i++) {
      int series = i;
      Figure figure = FIGURES.get(i);
      plot.line(series, line(step -> Intervals.mean(step.means(Since.SENT, figure))));
      steps.forEach(step -> interval(plot, series, step, figure));
    }
    plot.end();
  }

  private DoubleStream values(Figure figure) {
    return steps.stream().flatMapToDouble(s -> Arrays.stream(s.samples(Since.SENT, figure)));
  }

  private static void interval(Plot plot, int series, LoadStep step, Figure figure) {
    double[] samples = step.samples(Since.SENT, figure);
    String name = StepTables.label(step.load()) + ": " + figure.label() + " ";
    if (samples.length < 2) {
      plot.dot(series, new Point(load(step), samples[0]), name + Numbers.fine(samples[0]) + " ms");
      return;
    }
    Interval interval = Intervals.student(samples);
    plot.dot(series, new Point(load(step), interval.estimate()), name + interval.toText(3) + " ms");
    plot.bar(
        series,
        new Point(load(step), interval.low()),
        new Point(load(step), interval.high()),
        name + interval.toText(3) + " ms");
  }

  private void use(String title, String unit, ToDoubleFunction<GatewayUse> figure) {
    List<Point> points = line(step -> use(step, figure));
    double most = points.stream().mapToDouble(Point::y).max().orElse(1);
    Axis y = new Axis(unit, LinearScale.to(most));
    Plot plot = Plot.begin(page, title, List.of(), x, y, List.of());
    plot.line(0, points);
    for (int i = 0; i < points.size(); i++) {
      String name = StepTables.label(steps.get(i).load()) + ": ";
      plot.dot(0, points.get(i), name + Numbers.fine(points.get(i).y()) + " " + unit);
    }
    plot.end();
  }

  /** The mean over a step's runs. */
  private static double use(LoadStep step, ToDoubleFunction<GatewayUse> figure) {
    return step.runs().stream().map(GatewayUse::of).mapToDouble(figure).average().orElse(0);
  }

  private List<Point> line(Function<LoadStep, Double> figure) {
    return steps.stream().map(step -> new Point(load(step), figure.apply(step))).toList();
  }
}
