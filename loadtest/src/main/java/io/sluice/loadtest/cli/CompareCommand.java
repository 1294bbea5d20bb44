package io.sluice.loadtest.cli;

import io.sluice.loadtest.report.Comparison;
import io.sluice.loadtest.report.ComparisonText;
import io.sluice.loadtest.report.Since;
import io.sluice.loadtest.result.Measurement;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that compares two measurements. Used by the main thread only. */
@Command(
    name = "compare",
    description = "Compares the figures of two measurements; prints Markdown.",
    mixinStandardHelpOptions = true)
final class CompareCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "A.json", description = "The earlier measurement.")
  private Path earlier;

  @Parameters(index = "1", paramLabel = "B.json", description = "The later measurement.")
  private Path later;

  @Option(
      names = "--since",
      defaultValue = "SENT",
      description = "Start of latencies: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private Since since;

  @Option(names = "--anyway", description = "Compare even if the loads differ.")
  private boolean anyway;

  @Option(
      names = "--fail-if-slower",
      description = "Exit with code 1 if a figure is significantly worse.")
  private boolean failIfSlower;

  @Override
  public Integer call() {
    Comparison comparison = compare(read(earlier), read(later));
    PrintWriter out = spec.commandLine().getOut();
    out.print(ComparisonText.of(comparison));
    out.flush();
    return failIfSlower && comparison.isWorse() ? ExitCode.FAILED : ExitCode.OK;
  }

  private Comparison compare(Measurement a, Measurement b) {
    try {
      return Comparison.of(a, b, since, anyway);
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
