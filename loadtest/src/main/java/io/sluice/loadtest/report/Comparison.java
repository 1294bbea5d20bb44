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
 * Two measurements of the same load, figure by figure. Immutable.
 *
 * @param differing what else differs between them, a line each
 * @param steps one for each load
 */
public record Comparison(
    Measurement earlier, Measurement later, List<String> differing, List<ComparedStep> steps) {
  private static final List<Figure> FIGURES =
      List.of(Figure.MEAN, Figure.P50, Figure.P95, Figure.P99, Figure.P999);

  /**
   * Compares two measurements.
   *
   * @param anyway also if their loads differ; {@link #differing} then says how
   * @throws IllegalArgumentException if their loads differ, or a measurement has no figures that
   *     could be trusted; the message says what is wrong
   */
  public static Comparison of(Measurement earlier, Measurement later, Since since, boolean anyway) {
    check("A", earlier, since);
    check("B", later, since);
    List<LoadStep> before = LoadStep.of(earlier);
    List<LoadStep> after = paired(before, LoadStep.of(later));
    List<String> loads = Differing.loads(earlier, before, later, after);
    if (!loads.isEmpty() && !anyway) {
      throw new IllegalArgumentException(
          "not the same load, so that a difference would say nothing of the gateway: "
              + String.join("; ", loads));
    }
    List<String> differing = new ArrayList<>(loads);
    differing.addAll(Differing.circumstances(earlier, later));
    return new Comparison(earlier, later, differing, compare(before, after, since));
  }

  /** Whether any figure is shown to be worse: slower, or dearer. */
  public boolean isWorse() {
    return steps.stream()
        .flatMap(step -> step.differences().stream())
        .anyMatch(difference -> difference.verdict() == Difference.Verdict.HIGHER);
  }

  private static void check(String name, Measurement measurement, Since since) {
    try {
      Soundness.check(measurement);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    }
    if (!measurement.runs().stream().allMatch(run -> LoadStep.has(run, since))) {
      throw new IllegalArgumentException(name + " has no latencies " + since.label());
    }
  }

  /** The later steps in the order of the earlier ones, as far as their loads are the same. */
  private static List<LoadStep> paired(List<LoadStep> before, List<LoadStep> after) {
    if (before.size() != after.size()) {
      throw new IllegalArgumentException(
          "A has %d steps of load, B has %d".formatted(before.size(), after.size()));
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
    double[] corrected = Holm.correct(all.stream().mapToDouble(Difference::chance).toArray());
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

  private static Difference corrected(Difference difference, double chance) {
    return new Difference(
        difference.figure(),
        difference.isTime(),
        difference.earlier(),
        difference.later(),
        difference.interval(),
        chance);
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
    double[] a = overRuns ? before.cpuSamples() : pieces(before);
    double[] b = overRuns ? after.cpuSamples() : pieces(after);
    if (a.length > 1 && b.length > 1) {
      differences.add(difference("gateway's CPU a frame, µs", false, a, b));
    }
    return differences;
  }

  private static Difference difference(String figure, boolean isTime, double[] a, double[] b) {
    if (a.length < 2 || b.length < 2) {
      throw new IllegalArgumentException(
          "a comparison needs two runs on each side, or two measured clients on each side");
    }
    Interval interval = Intervals.difference(a, b);
    return new Difference(
        figure, isTime, Intervals.mean(a), Intervals.mean(b), interval, Intervals.pValue(a, b));
  }

  /** Of all runs, if one side has several and the other has not. */
  private static double[] clients(LoadStep step, Since since, Figure figure) {
    return step.runs().stream()
        .flatMapToDouble(run -> Arrays.stream(LoadStep.clients(run, since, figure)))
        .toArray();
  }

  private static double[] pieces(LoadStep step) {
    List<MeasuredRun> runs = step.runs();
    return runs.stream()
        .flatMapToDouble(run -> Arrays.stream(GatewayUse.of(run).microsAFrame()))
        .toArray();
  }

  /**
   * The figures of two measurements at one load. Immutable.
   *
   * @param load that of the earlier measurement
   * @param overRuns whether a sample is a run; otherwise it is a client, or a piece of a run
   */
  public record ComparedStep(LoadProfile load, boolean overRuns, List<Difference> differences) {}
}
