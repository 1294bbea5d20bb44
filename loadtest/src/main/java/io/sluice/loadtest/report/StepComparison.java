package io.sluice.loadtest.report;

import io.sluice.loadtest.report.ComparedSamples.Basis;
import io.sluice.loadtest.report.Comparison.ComparedStep;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.statistics.Intervals;
import io.sluice.loadtest.statistics.PairedRatios;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Comparison of all metrics of two load steps, not corrected. Stateless, for any thread. */
final class StepComparison {
  private static final List<LatencyMetric> METRICS =
      List.of(
          LatencyMetric.MEAN,
          LatencyMetric.P50,
          LatencyMetric.P95,
          LatencyMetric.P99,
          LatencyMetric.P999);
  private static final String CPU = "gateway's CPU per frame, µs";

  /** Resolution of recorded latencies in milliseconds. Ratios require figures above 0. */
  private static final double RESOLUTION_MILLIS = 0.001;

  private final LoadStep before;
  private final LoadStep after;
  private final Since since;
  private final ComparedSamples samples;
  private final boolean conclusive;

  private StepComparison(LoadStep before, LoadStep after, ComparisonOptions options) {
    this.before = before;
    this.after = after;
    this.since = options.since();
    this.samples = ComparedSamples.of(before, after);
    this.conclusive = samples.basis().appliesToFurtherProcesses() || options.acceptOneProcess();
  }

  static ComparedStep of(LoadStep before, LoadStep after, ComparisonOptions options) {
    StepComparison comparison = new StepComparison(before, after, options);
    List<Difference> differences = new ArrayList<>();
    METRICS.forEach(metric -> differences.add(comparison.latency(metric)));
    if (comparison.hasCost()) {
      differences.add(comparison.cost());
    }
    return new ComparedStep(
        before.load(),
        comparison.samples.basis(),
        comparison.samples.baseline().size(),
        differences);
  }

  private Difference latency(LatencyMetric metric) {
    String label = metric.label() + ", ms";
    if (samples.basis() == Basis.CLIENTS) {
      return difference(label, true, clients(before, metric), clients(after, metric));
    }
    return difference(
        label,
        true,
        samples.ofBaseline(run -> LoadStep.mean(run, since, metric)),
        samples.ofCandidate(run -> LoadStep.mean(run, since, metric)));
  }

  /** Returns whether there are at least two samples of CPU time on each side. */
  private boolean hasCost() {
    boolean known =
        before.runs().stream().allMatch(StepComparison::hasCost)
            && after.runs().stream().allMatch(StepComparison::hasCost);
    return known
        && (samples.basis() != Basis.CLIENTS
            || (segments(before).length > 1 && segments(after).length > 1));
  }

  private static boolean hasCost(MeasuredRun run) {
    return GatewayUsage.of(run).hasCost();
  }

  private Difference cost() {
    if (samples.basis() == Basis.CLIENTS) {
      return difference(CPU, false, segments(before), segments(after));
    }
    return difference(
        CPU,
        false,
        samples.ofBaseline(StepComparison::microsPerFrame),
        samples.ofCandidate(StepComparison::microsPerFrame));
  }

  private static double microsPerFrame(MeasuredRun run) {
    return Intervals.mean(GatewayUsage.of(run).microsPerFrame());
  }

  private Difference difference(String metric, boolean isTime, double[] a, double[] b) {
    if (a.length < 2 || b.length < 2) {
      throw new IllegalArgumentException(
          "a comparison requires at least two runs or two measured clients on each side");
    }
    return samples.basis().isPaired()
        ? ratio(metric, isTime, atLeast(RESOLUTION_MILLIS, a), atLeast(RESOLUTION_MILLIS, b))
        : new Difference(
            metric,
            isTime,
            Intervals.mean(a),
            Intervals.mean(b),
            Intervals.difference(a, b),
            false,
            Intervals.pValue(a, b),
            conclusive,
            null);
  }

  private Difference ratio(String metric, boolean isTime, double[] a, double[] b) {
    return new Difference(
        metric,
        isTime,
        PairedRatios.geometricMean(a),
        PairedRatios.geometricMean(b),
        PairedRatios.change(a, b),
        true,
        PairedRatios.pValue(a, b),
        conclusive,
        null);
  }

  private static double[] atLeast(double min, double[] figures) {
    return Arrays.stream(figures).map(figure -> Math.max(min, figure)).toArray();
  }

  /** Returns one sample per client and run. */
  private double[] clients(LoadStep step, LatencyMetric metric) {
    return step.runs().stream()
        .flatMapToDouble(run -> Arrays.stream(LoadStep.clients(run, since, metric)))
        .toArray();
  }

  /** Returns the gateway's CPU time per frame, one sample per segment of each run. */
  private static double[] segments(LoadStep step) {
    return step.runs().stream()
        .flatMapToDouble(run -> Arrays.stream(GatewayUsage.of(run).microsPerFrame()))
        .toArray();
  }
}
