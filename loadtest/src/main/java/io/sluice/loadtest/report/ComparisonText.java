package io.sluice.loadtest.report;

import io.sluice.loadtest.report.Comparison.ComparedStep;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Markdown report of a comparison. Stateless, for any thread. */
public final class ComparisonText {
  private static final String CORRECTED =
      "Each interval holds for its metric only. The verdicts are corrected for the %d metrics"
          + " compared at once (Holm): the probability that any of them is wrong by chance is at"
          + " most 5 %%. A metric may therefore have no significant difference although its"
          + " interval excludes 0.";
  private static final String INCONCLUSIVE =
      "The interval is valid for the measured processes only, because each side has one process."
          + " There is no verdict about further processes: two processes of the same version may"
          + " differ as much. Use sluice ab-test, or accept verdicts about these processes with"
          + " --accept-one-process.";
  private static final String ACCEPTED =
      "Verdicts apply to the measured processes only (--accept-one-process).";
  private static final String SAME_MACHINE =
      "The column of the A/A test shows the differences that this machine produces without a"
          + " change.";

  private static final double TENFOLD = 9;

  private ComparisonText() {}

  /** Returns the whole text. */
  public static String of(Comparison comparison) {
    StringBuilder out = new StringBuilder("## Candidate compared with baseline\n\n");
    line(out, "baseline", comparison.baseline());
    line(out, "candidate", comparison.candidate());
    out.append("\n### Differences in setup\n\n");
    if (comparison.setupDifferences().isEmpty()) {
      out.append("None recorded in the files.\n");
    }
    comparison
        .setupDifferences()
        .forEach(line -> out.append("- ").append(Markdown.escape(line)).append('\n'));
    comparison.steps().forEach(step -> out.append('\n').append(table(step).toMarkdown()));
    long metrics = comparison.steps().stream().mapToLong(step -> step.differences().size()).sum();
    if (comparison.isConclusive()) {
      out.append('\n').append(CORRECTED.formatted(metrics)).append('\n');
    }
    warnings(comparison).forEach(warning -> out.append('\n').append(warning).append('\n'));
    return out.toString();
  }

  private static void line(StringBuilder out, String name, Measurement measurement) {
    out.append("- ").append(name).append(": ");
    out.append(Markdown.escape(measurement.simulation())).append(", ");
    out.append(SetupTables.startOf(measurement)).append(", runs: ");
    out.append(measurement.runs().size()).append('\n');
  }

  private static Table table(ComparedStep step) {
    List<String> head =
        new ArrayList<>(
            List.of("metric", "baseline", "candidate", "difference, 95 %", "relative", "verdict"));
    if (step.basis().isPaired()) {
      head.remove("relative");
    }
    boolean hasSameMachine = step.differences().stream().anyMatch(d -> d.sameMachine() != null);
    if (hasSameMachine) {
      head.add("A/A test, 95 %");
    }
    List<List<String>> rows =
        step.differences().stream().map(difference -> row(difference, hasSameMachine)).toList();
    return Table.of(StepTables.label(step.load()), head, rows)
        .withNote(note(step) + (hasSameMachine ? " " + SAME_MACHINE : ""));
  }

  private static String note(ComparedStep step) {
    String basis =
        switch (step.basis()) {
          case BLOCKS -> blocks(step) + " Each run measures a newly started process.";
          case PROCESSES ->
              "A sample is a process: the mean over its runs. The intervals are by" + " Welch's t.";
          case BLOCKS_OF_ONE_PROCESS -> blocks(step) + " The systems were not restarted.";
          case RUNS_OF_ONE_PROCESS ->
              "A sample is a run's mean over its clients. The intervals are" + " by Welch's t.";
          case CLIENTS ->
              "A sample is a client, or for CPU time a segment of a run, because not both sides"
                  + " have two runs. This is weaker evidence: clients of one run share its random"
                  + " conditions. The intervals are by Welch's t.";
        };
    if (step.basis().appliesToFurtherProcesses()) {
      return basis;
    }
    boolean accepted = step.differences().stream().allMatch(Difference::isConclusive);
    return basis + " " + (accepted ? ACCEPTED : INCONCLUSIVE);
  }

  private static String blocks(ComparedStep step) {
    return "%d blocks contain one run of each side, in random order. The intervals are by the paired"
            .formatted(step.samples())
        + " t of the logarithms; baseline and candidate are geometric means over the blocks.";
  }

  private static List<String> row(Difference difference, boolean hasSameMachine) {
    List<String> row = new ArrayList<>();
    row.add(difference.metric());
    row.add(Numbers.fine(difference.baseline()));
    row.add(Numbers.fine(difference.candidate()));
    if (difference.isRatio()) {
      row.add(percent(difference.interval()));
    } else {
      row.add(difference.interval().toText(3));
      row.add(percent(difference.relative()));
    }
    row.add(difference.verdictText());
    if (hasSameMachine) {
      row.add(difference.sameMachine() == null ? Numbers.NONE : percent(difference.sameMachine()));
    }
    return row;
  }

  private static String percent(Interval change) {
    return "%s (%s to %s)"
        .formatted(percent(change.estimate()), percent(change.low()), percent(change.high()));
  }

  /** Returns a change in percent, or as a factor if it is at least tenfold. */
  private static String percent(double change) {
    return change < TENFOLD
        ? String.format(Locale.ROOT, "%+.1f %%", 100 * change)
        : String.format(Locale.ROOT, "×%,.0f", 1 + change);
  }

  private static List<String> warnings(Comparison comparison) {
    List<String> warnings = new ArrayList<>();
    warn(warnings, "baseline", comparison.baseline());
    warn(warnings, "candidate", comparison.candidate());
    return warnings;
  }

  private static void warn(List<String> warnings, String side, Measurement measurement) {
    long unsteady = measurement.runs().stream().filter(run -> !run.steady()).count();
    if (unsteady > 0) {
      warnings.add(
          "%d of %d runs of the %s have no steady state: %s"
                  .formatted(
                      unsteady,
                      measurement.runs().size(),
                      side,
                      measurement.runs().stream()
                          .filter(run -> !run.steady())
                          .findFirst()
                          .map(SteadyState::text)
                          .orElseThrow())
              + ".");
    }
    long fewest =
        measurement.runs().stream()
            .map(MeasuredRun::clients)
            .flatMap(List::stream)
            .mapToLong(client -> client.sinceDue().count())
            .min()
            .orElse(0);
    String few = LatencyMetric.warning(fewest, "the messages of a client of the " + side);
    if (!few.isEmpty()) {
      warnings.add(few);
    }
  }
}
