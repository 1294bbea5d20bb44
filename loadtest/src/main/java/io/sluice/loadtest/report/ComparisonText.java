package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Measurement;
import java.util.List;

/** Markdown report of a comparison. Stateless, for any thread. */
public final class ComparisonText {
  private static final String OVER_RUNS = "A sample is a run's mean over its clients.";
  private static final String OVER_CLIENTS =
      "A sample is a client, or for CPU time a segment of a run, because not both sides have two"
          + " runs. This is weaker evidence: clients of one run share its random conditions, and"
          + " two runs of the same version may differ as much. Repeat with several runs on each"
          + " side.";
  private static final String CORRECTED =
      "The intervals are by Welch's t, each for its metric only. The verdicts are corrected for the"
          + " %d metrics compared at once (Holm): the probability that any of them is wrong by"
          + " chance is at most 5 %%. A metric may therefore have no verdict although its interval"
          + " excludes 0.";

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
    return out.append('\n').append(CORRECTED.formatted(metrics)).append('\n').toString();
  }

  private static void line(StringBuilder out, String name, Measurement measurement) {
    out.append("- ").append(name).append(": ");
    out.append(Markdown.escape(measurement.simulation())).append(", ");
    out.append(SetupTables.startOf(measurement)).append(", runs: ");
    out.append(measurement.runs().size()).append('\n');
  }

  private static Table table(Comparison.ComparedStep step) {
    List<String> head =
        List.of("metric", "baseline", "candidate", "difference, 95 %", "relative", "verdict");
    List<List<String>> rows = step.differences().stream().map(ComparisonText::row).toList();
    return Table.of(StepTables.label(step.load()), head, rows)
        .withNote(step.overRuns() ? OVER_RUNS : OVER_CLIENTS);
  }

  private static List<String> row(Difference difference) {
    double percent = 100 * difference.interval().estimate() / difference.baseline();
    return List.of(
        difference.metric(),
        Numbers.fine(difference.baseline()),
        Numbers.fine(difference.candidate()),
        difference.interval().toText(3),
        (percent > 0 ? "+" : "") + Numbers.decimal(percent, 1) + " %",
        difference.verdictText());
  }
}
