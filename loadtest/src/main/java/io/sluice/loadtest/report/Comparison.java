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
 * Comparison of two measurements of the same load, figure by figure. Immutable, for any thread.
 *
 * @param differing other differences between them, one line each
 * @param steps one step for each load
 */
public record Comparison(
    Measurement earlier, Measurement later, List<String> differing, List<ComparedStep> steps) {
  private static final List<Figure> FIGURES =
      List.of(Figure.MEAN, Figure.P50, Figure.P95, Figure.P99, Figure.P999);

  /**
   * Returns the comparison of two measurements.
   *
   * @param anyway whether to compare different loads; {@link #differing} then lists the differences
   * @throws IllegalArgumentException if their loads differ or a measurement has invalid figures;
   *     the message contains the reason
   */
  public static Comparison of(Measurement earlier, Measurement later, Since since, boolean anyway) {
    check("A", earlier, since);
    check("B", later, since);
    List<LoadStep> before = LoadStep.of(earlier);
    List<LoadStep> after = paired(before, LoadStep.of(later));
    List<String> loads = MeasurementDifferences.loads(earlier, before, later, after);
    if (!loads.isEmpty() && !anyway) {
      throw new IllegalArgumentException(
          "the measurements have different loads, which makes them incomparable (see --anyway): "
              + String.join("; ", loads));
    }
    List<String> differing = new ArrayList<>(loads);
    differing.addAll(MeasurementDifferences.circumstances(earlier, later));
    return new Comparison(earlier, later, differing, compare(before, after, since));
  }

  /** Returns whether any figure is significantly worse. */
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

  /** Returns the later steps in the order of the earlier ones, paired by load where possible. */
  private static List<LoadStep> paired(List<LoadStep> before, List<LoadStep> after) {
    if (before.size() != after.size()) {
      throw new IllegalArgumentException(
          "A has %d load steps, B has %d".formatted(before.size(), after.size()));
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
        difference.figure(),
        difference.isTime(),
        difference.earlier(),
        difference.later(),
        difference.interval(),
        pValue);
  }

  private static boolean isOverRuns(LoadStep before, LoadStep after) {
    return before.hasSeveralRuns() && after.hasSeveralRuns();
  }

  private static List<Difference> compare(LoadStep before, LoadStep after, Since since) {
    boolean overRuns = isOverRuns(before, after);
    List<Difference> differences = new ArrayList<>();
    for (Figure figure : FIGURES) {
      double[] a = overRuns ? before.means(since, figure) : clients(before, since, figure);
      double[] b = overRuns ? after.means(since, figure) : clients(after, since, figure);
      differences.add(difference(figure.label() + ", ms", true, a, b));
    }
    double[] a = overRuns ? before.cpuSamples() : segments(before);
    double[] b = overRuns ? after.cpuSamples() : segments(after);
    if (a.length > 1 && b.length > 1) {
      differences.add(difference("gateway's CPU per frame, µs", false, a, b));
    }
    return differences;
  }

  private static Difference difference(String figure, boolean isTime, double[] a, double[] b) {
    if (a.length < 2 || b.length < 2) {
      throw new IllegalArgumentException(
          "a comparison requires at least two runs or two measured clients on each side");
    }
    Interval interval = Intervals.difference(a, b);
    return new Difference(
        figure, isTime, Intervals.mean(a), Intervals.mean(b), interval, Intervals.pValue(a, b));
  }

  /**
   * Returns the figures of all clients in all runs, for the case that only one side has several
   * runs.
   */
  private static double[] clients(LoadStep step, Since since, Figure figure) {
    return step.runs().stream()
        .flatMapToDouble(run -> Arrays.stream(LoadStep.clients(run, since, figure)))
        .toArray();
  }

  private static double[] segments(LoadStep step) {
    List<MeasuredRun> runs = step.runs();
    return runs.stream()
        .flatMapToDouble(run -> Arrays.stream(GatewayUsage.of(run).microsPerFrame()))
        .toArray();
  }

  /**
   * Figures of two measurements at one load. Immutable.
   *
   * @param load load of the earlier measurement
   * @param overRuns whether a sample is a run; otherwise it is a client, or a segment of a run
   */
  public record ComparedStep(LoadProfile load, boolean overRuns, List<Difference> differences) {}
}
