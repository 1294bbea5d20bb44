package io.sluice.loadtest.report;

import io.sluice.loadtest.report.Assessment.Answer;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Limit of a latency since the due time, which a simulation was started with. Immutable, for any
 * thread.
 *
 * @param parameter parameter of the simulation, such as {@code maxP99}
 */
record LatencyLimit(LatencyMetric metric, double millis, String parameter) {
  private static final Map<String, LatencyMetric> PARAMETERS = new LinkedHashMap<>();

  static {
    PARAMETERS.put("maxMean", LatencyMetric.MEAN);
    PARAMETERS.put("maxP50", LatencyMetric.P50);
    PARAMETERS.put("maxP95", LatencyMetric.P95);
    PARAMETERS.put("maxP99", LatencyMetric.P99);
    PARAMETERS.put("maxP999", LatencyMetric.P999);
    PARAMETERS.put("objective", LatencyMetric.P99);
  }

  /** Returns the limits of a measurement; a parameter of 0 is none. */
  static List<LatencyLimit> of(Measurement measurement) {
    List<LatencyLimit> limits = new ArrayList<>();
    PARAMETERS.forEach(
        (name, metric) -> {
          double millis = Double.parseDouble(measurement.parameters().getOrDefault(name, "0"));
          if (millis > 0) {
            limits.add(new LatencyLimit(metric, millis, name));
          }
        });
    return limits;
  }

  /** Returns whether a step meets the limit with its whole 95 % interval. */
  Answer answer(LoadStep step) {
    double[] samples = step.samples(Since.DUE, metric);
    if (samples.length < 2) {
      return samples[0] > millis ? Answer.NO : Answer.UNDECIDED;
    }
    Interval interval = Intervals.student(samples);
    if (interval.low() >= millis) {
      return Answer.NO;
    }
    boolean steady = step.runs().stream().allMatch(MeasuredRun::steady);
    return steady && interval.high() < millis ? Answer.YES : Answer.UNDECIDED;
  }

  /** Returns the step's latency and the limit. */
  String text(LoadStep step) {
    double[] samples = step.samples(Since.DUE, metric);
    String latency =
        samples.length < 2 ? Numbers.fine(samples[0]) : Intervals.student(samples).toText(3);
    return String.format(
        Locale.ROOT, "%s %s ms, limit %s ms", metric.label(), latency, Numbers.rate(millis));
  }
}
