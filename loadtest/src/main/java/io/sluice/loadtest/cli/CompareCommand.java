package io.sluice.loadtest.cli;

import io.sluice.loadtest.report.Comparison;
import io.sluice.loadtest.report.ComparisonOptions;
import io.sluice.loadtest.report.ComparisonText;
import io.sluice.loadtest.report.Since;
import io.sluice.loadtest.result.Measurement;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that compares two measurements. Used by the main thread only. */
@Command(
    name = "compare",
    header =
        "Compare the latencies and CPU time per frame of a candidate measurement with a baseline.",
    description = "Prints Markdown.",
    exitCodeListHeading = MeasurementHelp.EXIT_CODES,
    exitCodeList = {
      "0:the measurements were compared",
      "1:a file is unusable, the loads differ, or a figure is significantly worse"
          + " (--fail-if-slower)",
      MeasurementHelp.INVALID_COMMAND_LINE
    },
    footerHeading = MeasurementHelp.EXAMPLE,
    footer = "  sluice compare before.json after.json --fail-if-slower",
    mixinStandardHelpOptions = true)
final class CompareCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "BASELINE.json",
      description = "Measurement to compare with.")
  private Path baseline;

  @Parameters(index = "1", paramLabel = "CANDIDATE.json", description = "Measurement to evaluate.")
  private Path candidate;

  @Option(
      names = "--since",
      paramLabel = "START",
      defaultValue = "DUE",
      description = "Start of latencies: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Since since;

  @Option(
      names = "--allow-different-loads",
      description = "Compare measurements of different loads, and list the differences.")
  private boolean allowDifferentLoads;

  @Option(
      names = "--accept-one-process",
      description =
          "Give verdicts although all runs of a side share one process. They apply to the measured"
              + " processes only.")
  private boolean acceptOneProcess;

  @Option(
      names = "--same-machine",
      arity = "2",
      paramLabel = "FILE.json",
      description =
          "Both measurements of an A/A test of this machine with the same load (sluice ab-test"
              + " without --b), whose intervals are added.")
  private List<Path> sameMachine = List.of();

  @Option(names = "--anyway", hidden = true, description = "Former name.")
  private boolean anyway;

  @Option(
      names = "--fail-if-slower",
      description = "Exit with code 1 if the candidate is significantly worse in any metric.")
  private boolean failIfSlower;

  @Override
  public Integer call() {
    if (anyway) {
      throw new ParameterException(
          spec.commandLine(), "--anyway was renamed; use --allow-different-loads");
    }
    Comparison comparison = compare();
    PrintWriter out = spec.commandLine().getOut();
    out.print(ComparisonText.of(comparison));
    out.flush();
    if (failIfSlower && !comparison.isConclusive()) {
      throw new LoadTestFailure(
          "--fail-if-slower requires verdicts, but each side has one process; use sluice ab-test,"
              + " or --accept-one-process");
    }
    return failIfSlower && comparison.isWorse() ? ExitCode.FAILED : ExitCode.OK;
  }

  private Comparison compare() {
    ComparisonOptions options = new ComparisonOptions(since, allowDifferentLoads, acceptOneProcess);
    try {
      Comparison comparison = Comparison.of(read(baseline), read(candidate), options);
      return sameMachine.isEmpty()
          ? comparison
          : comparison.withSameMachine(
              Comparison.of(read(sameMachine.get(0)), read(sameMachine.get(1)), options));
    } catch (IllegalArgumentException e) {
      throw new LoadTestFailure(e.getMessage(), e);
    }
  }

  static Measurement read(Path file) {
    try {
      return Measurement.read(file);
    } catch (IllegalArgumentException e) {
      throw new LoadTestFailure(e.getMessage(), e);
    } catch (IOException e) {
      throw new LoadTestFailure("cannot read " + file, e);
    }
  }
}
