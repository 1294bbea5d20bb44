package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Measurement;
import java.util.List;

/** A comparison as Markdown. */
public final class ComparisonText {
  private static final String OVER_RUNS = "A sample is a run's mean over its clients.";
  private static final String OVER_CLIENTS =
      "A sample is a client, of CPU time a piece of a run, because not both sides have two runs."
          + " That is weaker: clients of one run share its luck, so that the difference may be one"
          + " of these two runs and not of what was changed. Repeat with several runs on each side.";
  private static final String CORRECTED =
      "The intervals are by Welch's t, each for its figure alone. The verdicts are corrected for"
          + " the %d figures that are compared at once (Holm): the probability that any of them is"
          + " wrong by chance is at most 5 %%. So a figure may have no verdict although its interval"
          + " leaves out 0.";

  private ComparisonText() {}

  /** The whole text. */
  public static String of(Comparison comparison) {
    StringBuilder out = new StringBuilder("## B compared with A\n\n");
    line(out, "A", comparison.earlier());
    line(out, "B", comparison.later());
    out.append("\n### What differs\n\n");
    if (comparison.differing().isEmpty()) {
      out.append("Nothing that the files tell.\n");
    }
    comparison
        .differing()
        .forEach(line -> out.append("- ").append(Markdown.escape(line)).append('\n'));
    comparison.steps().forEach(step -> out.append('\n').append(table(step).toMarkdown()));
    long figures = comparison.steps().stream().mapToLong(step -> step.differences().size()).sum();
    return out.append('\n').append(CORRECTED.formatted(figures)).append('\n').toString();
  }

  private static void line(StringBuilder out, String name, Measurement measurement) {
    out.append("- ").append(name).append(": ");
    out.append(Markdown.escape(measurement.simulation())).append(", ");
    out.append(SetupTables.startOf(measurement)).append(", runs: ");
    out.append(measurement.runs().size()).append('\n');
  }

  private static Table table(Comparison.ComparedStep step) {
    List<String> head = List.of("figure", "A", "B", "B - A, 95 %", "of A", "verdict");
    List<List<String>> rows = step.differences().stream().map(ComparisonText::row).toList();
    return Table.of(StepTables.label(step.load()), head, rows)
        .withNote(step.overRuns() ? OVER_RUNS : OVER_CLIENTS);
  }

  private static List<String> row(Difference difference) {
    double percent = 100 * difference.interval().estimate() / difference.earlier();
    return List.of(
        difference.figure(),
        Numbers.fine(difference.earlier()),
        Numbers.fine(difference.later()),
        difference.interval().toText(3),
        (percent > 0 ? "+" : "") + Numbers.decimal(percent, 1) + " %",
        difference.verdictText());
  }
}
