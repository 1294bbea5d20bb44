package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Holm;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Statistical comparison of a candidate measurement with a baseline, metric by metric. Both have
 * the same loads unless different ones are allowed. Immutable, for any thread.
 *
 * @param setupDifferences differences of loads, machine, versions and parameters, one line each
 * @param steps one step for each load
 */
public record Comparison(
    Measurement baseline,
    Measurement candidate,
    List<String> setupDifferences,
    List<ComparedStep> steps) {
  private static final List<LatencyMetric> METRICS =
      List.of(
          LatencyMetric.MEAN,
          LatencyMetric.P50,
          LatencyMetric.P95,
          LatencyMetric.P99,
          LatencyMetric.P999);

  /**
   * Returns the comparison of two measurements.
   *
   * @param allowDifferentLoads whether measurements of different loads are compared; {@link
   *     #setupDifferences} then lists their differences
   * @throws IllegalArgumentException if their loads differ or a measurement has invalid values; the
   *     message contains the reason
   */
  public static Comparison of(
      Measurement baseline, Measurement candidate, Since since, boolean allowDifferentLoads) {
    check("the baseline", baseline, since);
    check("the candidate", candidate, since);
    List<LoadStep> before = LoadStep.of(baseline);
    List<LoadStep> after = paired(before, LoadStep.of(candidate));
    List<String> loads = MeasurementDifferences.loads(baseline, before, candidate, after);
    if (!loads.isEmpty() && !allowDifferentLoads) {
      throw new IllegalArgumentException(
          "the measurements have different loads, which makes them incomparable (see"
              + " --allow-different-loads): "
              + String.join("; ", loads));
    }
    List<String> differences = new ArrayList<>(loads);
    differences.addAll(MeasurementDifferences.circumstances(baseline, candidate));
    return new Comparison(baseline, candidate, differences, compare(before, after, since));
  }

  /** Returns whether any metric of the candidate is significantly worse. */
  public boolean isWorse() {
    return steps.stream()
        .flatMap(step -> step.differences().stream())
        .anyMatch(difference -> difference.verdict() == Difference.Verdict.HIGHER);
  }

  private static void check(String name, Measurement measurement, Since since) {
    try {
      MeasurementCheck.check(measurement);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    }
    if (!measurement.runs().stream().allMatch(run -> LoadStep.has(run, since))) {
      throw new IllegalArgumentException(name + " has no latencies " + since.label());
    }
  }

  /** Returns the candidate's steps in the order of the baseline's, paired by load if possible. */
  private static List<LoadStep> paired(List<LoadStep> before, List<LoadStep> after) {
    if (before.size() != after.size()) {
      throw new IllegalArgumentException(
          "the baseline has %d load steps, the candidate has %d"
              .formatted(before.size(), after.size()));
    }
    List<LoadStep> rest = new ArrayList<>(after);
    List<LoadStep> paired = new ArrayList<>();
    for (LoadStep step : before) {
      LoadStep same =
          rest.stream().filter(s -> s.load().equals(step.load())).findFirst().orElse(null);
      paired.add(same);
      rest.remove(same);
    }
    paired.replaceAll(step -> step == null ? rest.remove(0) : step);
    return paired;
  }

  private static List<ComparedStep> compare(
      List<LoadStep> before, List<LoadStep> after, Since since) {
    List<List<Difference>> single = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      single.add(compare(before.get(i), after.get(i), since));
    }
    List<Difference> all = single.stream().flatMap(List::stream).toList();
    double[] corrected = Holm.correct(all.stream().mapToDouble(Difference::pValue).toArray());
    List<ComparedStep> steps = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < before.size(); i++) {
      List<Difference> differences = new ArrayList<>();
      for (Difference difference : single.get(i)) {
        differences.add(corrected(difference, corrected[next++]));
      }
      boolean overRuns = isOverRuns(before.get(i), after.get(i));
      steps.add(new ComparedStep(before.get(i).load(), overRuns, differences));
    }
    return steps;
  }

  private static Difference corrected(Difference difference, double pValue) {
    return new Difference(
        difference.metric(),
        difference.isTime(),
        difference.baseline(),
        difference.candidate(),
        difference.interval(),
        pValue);
  }

  private static boolean isOverRuns(LoadStep before, LoadStep after) {
    return before.hasSeveralRuns() && after.hasSeveralRuns();
  }

  private static List<Difference> compare(LoadStep before, LoadStep after, Since since) {
    boolean overRuns = isOverRuns(before, after);
    List<Difference> differences = new ArrayList<>();
    for (LatencyMetric metric : METRICS) {
      double[] a = overRuns ? before.means(since, metric) : clients(before, since, metric);
      double[] b = overRuns ? after.means(since, metric) : clients(after, since, metric);
      differences.add(difference(metric.label() + ", ms", true, a, b));
    }
    double[] a = overRuns ? before.cpuSamples() : segments(before);
    double[] b = overRuns ? after.cpuSamples() : segments(after);
    if (a.length > 1 && b.length > 1) {
      differences.add(difference("gateway's CPU per frame, µs", false, a, b));
    }
    return differences;
  }

  private static Difference difference(String metric, boolean isTime, double[] a, double[] b) {
    if (a.length < 2 || b.length < 2) {
      throw new IllegalArgumentException(
          "a comparison requires at least two runs or two measured clients on each side");
    }
    Interval interval = Intervals.difference(a, b);
    return new Difference(
        metric, isTime, Intervals.mean(a), Intervals.mean(b), interval, Intervals.pValue(a, b));
  }

  /**
   * Returns one sample per client and run. They are the samples of both sides unless both have
   * several runs.
   */
  private static double[] clients(LoadStep step, Since since, LatencyMetric metric) {
    return step.runs().stream()
        .flatMapToDouble(run -> Arrays.stream(LoadStep.clients(run, since, metric)))
        .toArray();
  }

  /** Returns the gateway's CPU time per frame, one sample per segment of each run. */
  private static double[] segments(LoadStep step) {
    List<MeasuredRun> runs = step.runs();
    return runs.stream()
        .flatMapToDouble(run -> Arrays.stream(GatewayUsage.of(run).microsPerFrame()))
        .toArray();
  }

  /**
   * Differences between the two measurements at one load, one for each metric. Immutable.
   *
   * @param load load of the baseline
   * @param overRuns whether a sample is a run; otherwise it is a client, and for CPU time a segment
   *     of a run
   */
  public record ComparedStep(LoadProfile load, boolean overRuns, List<Difference> differences) {}
}
