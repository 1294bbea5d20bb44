package io.sluice.loadtest.report;

import static io.sluice.loadtest.report.Numbers.count;

import io.sluice.loadtest.report.Assessment.Answer;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Verdict of a measurement, which a report begins with: whether its runs settled, delivered all
 * messages and met their limits, and to what the intervals apply. Stateless.
 */
final class ReportVerdict {
  /** Smallest number of runs whose interval is not dominated by its own uncertainty. */
  private static final int ENOUGH_RUNS = 3;

  /** Half width of an interval in percent of its mean, above which it says little. */
  private static final double WIDE_PERCENT = 25;

  private ReportVerdict() {}

  static List<Assessment> of(Measurement measurement) {
    List<LoadStep> steps = LoadStep.of(measurement);
    return List.of(
        settled(measurement.runs()),
        delivered(measurement.runs()),
        objective(steps, LatencyLimit.of(measurement)),
        confidence(steps));
  }

  private static Assessment settled(List<MeasuredRun> runs) {
    List<MeasuredRun> changing = runs.stream().filter(run -> !run.steady()).toList();
    if (changing.isEmpty()) {
      return Assessment.yes("Settled", "Every run reached a steady state after its warm-up.");
    }
    String numbers =
        changing.stream().map(run -> "" + run.number()).collect(Collectors.joining(", "));
    return Assessment.no(
        "Settled",
        "No steady state in run %s of %d, which measured a changing system; measure longer."
            .formatted(numbers, runs.size()));
  }

  private static Assessment delivered(List<MeasuredRun> runs) {
    List<String> faults = new ArrayList<>();
    add(faults, "lost", clients(runs, ClientResult::lost));
    add(faults, "duplicates", clients(runs, ClientResult::repeated));
    add(faults, "out of order", clients(runs, ClientResult::reordered));
    add(
        faults,
        "gaps",
        clients(runs, ClientResult::gaps) + generators(runs, LoadGeneratorResult::gaps));
    add(faults, "without a stamp", clients(runs, ClientResult::unreadable));
    add(faults, "failed connections", generators(runs, LoadGeneratorResult::failed));
    add(faults, "closed connections", generators(runs, LoadGeneratorResult::closed));
    String received = count(clients(runs, ClientResult::received));
    return faults.isEmpty()
        ? Assessment.yes("Delivered", received + " measured messages arrived once and in order.")
        : Assessment.no("Delivered", String.join(", ", faults) + ". Received: " + received + ".");
  }

  private static void add(List<String> faults, String name, long number) {
    if (number > 0) {
      faults.add(name + ": " + count(number));
    }
  }

  private static long clients(List<MeasuredRun> runs, ToLongFunction<ClientResult> figure) {
    return runs.stream().flatMap(run -> run.clients().stream()).mapToLong(figure).sum();
  }

  private static long generators(
      List<MeasuredRun> runs, ToLongFunction<LoadGeneratorResult> figure) {
    return runs.stream()
        .filter(run -> run.loadGenerators() != null)
        .mapToLong(run -> figure.applyAsLong(run.loadGenerators()))
        .sum();
  }

  private static Assessment objective(List<LoadStep> steps, List<LatencyLimit> limits) {
    if (limits.isEmpty()) {
      return Assessment.undecided("Objective met", "No limit, such as maxP99, was given.");
    }
    return steps.size() == 1 ? objective(steps.get(0), limits) : ramp(steps, limits);
  }

  private static Assessment objective(LoadStep step, List<LatencyLimit> limits) {
    String text = text(step, limits) + ".";
    return switch (answer(step, limits)) {
      case YES -> Assessment.yes("Objective met", text);
      case NO -> Assessment.no("Objective met", text);
      case UNDECIDED ->
          Assessment.undecided(
              "Objective met", text + " The interval contains the limit, or a run did not settle.");
    };
  }

  /** Returns the largest load before the first step that does not meet the limits. */
  private static Assessment ramp(List<LoadStep> steps, List<LatencyLimit> limits) {
    LoadStep met = null;
    for (LoadStep step : steps) {
      Answer answer = answer(step, limits);
      if (answer != Answer.YES) {
        String end =
            "%s with %s: %s."
                .formatted(
                    answer == Answer.NO ? "Exceeded" : "Undecided",
                    StepTables.label(step.load()),
                    text(step, limits));
        return met == null
            ? new Assessment("Objective met", answer, end)
            : Assessment.yes("Objective met", "Up to " + StepTables.label(met.load()) + ". " + end);
      }
      met = step;
    }
    return Assessment.yes("Objective met", "With all " + steps.size() + " loads.");
  }

  private static Answer answer(LoadStep step, List<LatencyLimit> limits) {
    List<Answer> answers = limits.stream().map(limit -> limit.answer(step)).toList();
    if (answers.contains(Answer.NO)) {
      return Answer.NO;
    }
    return answers.contains(Answer.UNDECIDED) ? Answer.UNDECIDED : Answer.YES;
  }

  private static String text(LoadStep step, List<LatencyLimit> limits) {
    return limits.stream().map(limit -> limit.text(step)).collect(Collectors.joining("; "));
  }

  private static Assessment confidence(List<LoadStep> steps) {
    int runs = steps.stream().mapToInt(step -> step.runs().size()).min().orElseThrow();
    String each = steps.size() == 1 ? "" : " per load";
    if (runs < 2) {
      return Assessment.no(
          "Confidence",
          "One run%s. The intervals over its clients do not apply to further runs; use -Druns=5."
              .formatted(each));
    }
    double width = steps.stream().mapToDouble(ReportVerdict::widthPercent).max().orElseThrow();
    String text =
        String.format(
            Locale.ROOT,
            "%d runs%s, p99 ± %.0f %% for further runs%s.",
            runs,
            each,
            width,
            steps.stream().allMatch(ReportVerdict::hasSeveralProcesses)
                ? ""
                : " with the same processes");
    return runs >= ENOUGH_RUNS && width <= WIDE_PERCENT
        ? Assessment.yes("Confidence", text)
        : Assessment.undecided("Confidence", text + " Further runs narrow the interval.");
  }

  private static boolean hasSeveralProcesses(LoadStep step) {
    long known =
        step.runs().stream()
            .map(MeasuredRun::process)
            .filter(process -> !process.isEmpty())
            .distinct()
            .count();
    return known > 1;
  }

  private static double widthPercent(LoadStep step) {
    Interval p99 = Intervals.student(step.means(Since.DUE, LatencyMetric.P99));
    return 100 * p99.halfWidth() / p99.estimate();
  }
}
