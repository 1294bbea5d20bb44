package io.sluice.loadtest.report;

import io.sluice.loadtest.chart.Chart;
import io.sluice.loadtest.chart.Chart.Axis;
import io.sluice.loadtest.chart.Chart.Point;
import io.sluice.loadtest.chart.Markup;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.Event;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.Second;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Charts of one run over time, with shaded warm-up. For one thread. */
final class TimeCharts {
  private final Markup page;
  private final MeasuredRun run;

  private TimeCharts(Markup page, MeasuredRun run) {
    this.page = page;
    this.run = run;
  }

  static void draw(Markup page, MeasuredRun run) {
    TimeCharts charts = new TimeCharts(page, run);
    if (!run.timeline().isEmpty()) {
      charts.latencies();
      charts.throughput();
    }
    if (run.gateway().size() > 1) {
      charts.gateway();
    }
  }

  private void latencies() {
    List<List<Point>> lines =
        List.of(seconds(Second::p50), seconds(Second::p99), seconds(Second::max));
    Axis y = Axis.log("latency, ms", lines.stream().flatMap(List::stream).mapToDouble(Point::y));
    String title = "Latency since the due time per second, all measured clients together";
    draw(title, List.of("p50", "p99", "max"), y, lines, run.events());
  }

  /** Returns a metric of each second in milliseconds, or NaN in seconds without messages. */
  private List<Point> seconds(ToLongFunction<Second> micros) {
    return line(
        second -> second.messages() == 0 ? Double.NaN : micros.applyAsLong(second) / 1000.0);
  }

  private List<Point> line(ToDoubleFunction<Second> metric) {
    List<Point> points = new ArrayList<>();
    int next = 0;
    for (Second second : run.timeline()) {
      if (second.second() > next) {
        points.add(new Point(next, Double.NaN));
      }
      points.add(new Point(second.second() + 0.5, metric.applyAsDouble(second)));
      next = second.second() + 1;
    }
    return points;
  }

  private void throughput() {
    List<Point> points = line(Second::messages);
    linear("Messages to the measured clients", List.of(""), "messages/s", List.of(points));
  }

  private void gateway() {
    List<Point> frames = rates(GatewaySample::framesOut);
    if (isKnown(frames)) {
      linear("Frames from the gateway to all clients", List.of(""), "frames/s", List.of(frames));
    }
    List<Point> cores = rates(GatewaySample::cpuSeconds);
    if (isKnown(cores)) {
      linear("CPU of the gateway", List.of(""), "cores", List.of(cores));
    }
    memory();
  }

  private void memory() {
    List<Point> heap = samples(GatewaySample::heapBytes);
    List<Point> process = samples(GatewaySample::memoryBytes);
    List<String> names = new ArrayList<>();
    List<List<Point>> lines = new ArrayList<>();
    if (isKnown(heap)) {
      names.add("heap in use");
      lines.add(heap);
    }
    if (isKnown(process)) {
      names.add("process");
      lines.add(process);
    }
    if (!lines.isEmpty()) {
      String title = "Memory of the gateway" + (names.size() == 1 ? ": " + names.get(0) : "");
      linear(title, names, "MB", lines);
    }
  }

  private static boolean isKnown(List<Point> points) {
    return points.stream().anyMatch(point -> point.y() > 0);
  }

  private List<Point> samples(ToLongFunction<GatewaySample> bytes) {
    return run.gateway().stream()
        .map(sample -> new Point(sample.second(), bytes.applyAsLong(sample) / 1e6))
        .toList();
  }

  /** Returns the rate of a counter between consecutive samples. */
  private List<Point> rates(ToDoubleFunction<GatewaySample> counter) {
    List<Point> points = new ArrayList<>();
    for (int i = 1; i < run.gateway().size(); i++) {
      GatewaySample from = run.gateway().get(i - 1);
      GatewaySample to = run.gateway().get(i);
      double seconds = to.second() - from.second();
      double growth = counter.applyAsDouble(to) - counter.applyAsDouble(from);
      points.add(
          new Point(
              (from.second() + to.second()) / 2, seconds > 0 ? growth / seconds : Double.NaN));
    }
    return points;
  }

  private void linear(String title, List<String> series, String unit, List<List<Point>> lines) {
    draw(title, series, Axis.linear(unit), lines, List.of());
  }

  private void draw(
      String title, List<String> names, Axis y, List<List<Point>> lines, List<Event> events) {
    Chart chart = new Chart(title, Axis.until("seconds of the run", length()), y);
    for (int i = 0; i < lines.size(); i++) {
      chart.line(i, names.get(i), lines.get(i));
    }
    chart.shade(0, run.warmUpSeconds(), "warm-up");
    chart.shade(run.warmUpSeconds() + run.seconds(), length(), "excluded");
    chart.events(events);
    chart.write(page);
  }

  private double length() {
    double measured = run.warmUpSeconds() + run.seconds();
    return Stream.of(
            measured,
            run.timeline().stream().mapToDouble(second -> second.second() + 1).max().orElse(0),
            run.gateway().stream().mapToDouble(GatewaySample::second).max().orElse(0))
        .mapToDouble(Double::doubleValue)
        .max()
        .orElse(measured);
  }
}
