package io.sluice.loadtest.report;

import io.sluice.loadtest.report.ComparedSamples.Basis;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Holm;
import io.sluice.loadtest.statistics.Interval;
import java.util.ArrayList;
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
  /**
   * Returns the comparison of two measurements.
   *
   * @throws IllegalArgumentException if their loads differ or a measurement has invalid values; the
   *     message contains the reason
   */
  public static Comparison of(
      Measurement baseline, Measurement candidate, ComparisonOptions options) {
    Since since = options.since();
    check("the baseline", baseline, since);
    check("the candidate", candidate, since);
    List<LoadStep> before = LoadStep.of(baseline);
    List<LoadStep> after = paired(before, LoadStep.of(candidate));
    List<String> loads = MeasurementDifferences.loads(baseline, before, candidate, after);
    if (!loads.isEmpty() && !options.allowDifferentLoads()) {
      throw new IllegalArgumentException(
          "the measurements have different loads, which makes them incomparable (see"
              + " --allow-different-loads): "
              + String.join("; ", loads));
    }
    List<String> differences = new ArrayList<>(loads);
    differences.addAll(MeasurementDifferences.circumstances(baseline, candidate));
    return new Comparison(baseline, candidate, differences, compare(before, after, options));
  }

  /**
   * Returns the comparison with the intervals of an A/A test of the same machine.
   *
   * @throws IllegalArgumentException if {@code sameMachine} is not an A/A test with the same load
   */
  public Comparison withSameMachine(Comparison sameMachine) {
    ComparedStep aa = sameMachine.steps().get(0);
    if (sameMachine.steps().size() > 1 || !aa.basis().isPaired()) {
      throw new IllegalArgumentException(
          "the A/A measurements are not the two files of one sluice ab-test");
    }
    List<ComparedStep> with =
        steps.stream()
            .map(step -> step.load().equals(aa.load()) ? step.withSameMachine(aa) : step)
            .toList();
    if (with.equals(steps)) {
      throw new IllegalArgumentException(
          "the A/A measurements have another load: " + StepTables.label(aa.load()));
    }
    return new Comparison(baseline, candidate, setupDifferences, with);
  }

  /** Returns whether every step allows verdicts. */
  public boolean isConclusive() {
    return steps.stream()
        .flatMap(step -> step.differences().stream())
        .allMatch(Difference::isConclusive);
  }

  /** Returns whether any metric has a verdict. */
  public boolean isDifferent() {
    return isWorse()
        || steps.stream()
            .flatMap(step -> step.differences().stream())
            .anyMatch(difference -> difference.verdict() == Difference.Verdict.LOWER);
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
      List<LoadStep> before, List<LoadStep> after, ComparisonOptions options) {
    List<ComparedStep> single = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      single.add(StepComparison.of(before.get(i), after.get(i), options));
    }
    double[] corrected =
        Holm.correct(
            single.stream()
                .flatMap(step -> step.differences().stream())
                .mapToDouble(Difference::pValue)
                .toArray());
    List<ComparedStep> steps = new ArrayList<>();
    int next = 0;
    for (ComparedStep step : single) {
      List<Difference> differences = new ArrayList<>();
      for (Difference difference : step.differences()) {
        differences.add(difference.withPValue(corrected[next++]));
      }
      steps.add(new ComparedStep(step.load(), step.basis(), step.samples(), differences));
    }
    return steps;
  }

  /**
   * Differences between the two measurements at one load, one for each metric. Immutable.
   *
   * @param load load of the baseline
   * @param basis meaning of a sample
   * @param samples number of samples of the baseline
   */
  public record ComparedStep(
      LoadProfile load, Basis basis, int samples, List<Difference> differences) {

    private ComparedStep withSameMachine(ComparedStep aa) {
      List<Difference> with =
          differences.stream()
              .map(difference -> difference.withSameMachine(aa.interval(difference.metric())))
              .toList();
      return new ComparedStep(load, basis, samples, with);
    }

    private Interval interval(String metric) {
      return differences.stream()
          .filter(difference -> difference.metric().equals(metric))
          .map(Difference::interval)
          .findFirst()
          .orElse(null);
    }
  }
}
