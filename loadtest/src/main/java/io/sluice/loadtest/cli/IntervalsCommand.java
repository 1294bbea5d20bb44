package io.sluice.loadtest.cli;

import io.sluice.loadtest.statistics.Bootstrap;
import io.sluice.loadtest.statistics.ClientTable;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Command that prints confidence intervals for a table of clients' figures, such as published
 * results of other systems. Used by the main thread only.
 */
@Command(
    name = "intervals",
    header = "Calculate confidence intervals of a table with one row per client.",
    description =
        "Prints the mean of each column with its 95 %% confidence intervals: normal, Student's t"
            + " and bootstrap.",
    exitCodeListHeading = MeasurementHelp.EXIT_CODES,
    exitCodeList = {
      "0:the intervals were printed",
      "1:the file is unusable",
      MeasurementHelp.INVALID_COMMAND_LINE
    },
    footerHeading = MeasurementHelp.EXAMPLE,
    footer = "  sluice intervals clients.csv",
    mixinStandardHelpOptions = true)
final class IntervalsCommand implements Callable<Integer> {
  private static final int DECIMALS = 3;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      description = "Comma-separated values with column names in the first line.")
  private Path file;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Random seed of the bootstrap (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Override
  public Integer call() {
    try {
      print(ClientTable.read(file));
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw new LoadTestFailure(e.getMessage(), e);
    } catch (IOException e) {
      throw new LoadTestFailure("cannot read " + file, e);
    }
  }

  private void print(ClientTable table) {
    PrintWriter out = spec.commandLine().getOut();
    out.println("| | normal, 95 % | Student's t, 95 % | bootstrap, 95 % |");
    out.println("|---|---|---|---|");
    for (String name : table.names()) {
      double[] samples = table.column(name);
      out.printf(
          "| %s | %s | %s | %s |%n",
          name,
          text(Intervals.normal(samples)),
          text(Intervals.student(samples)),
          text(Bootstrap.mean(samples, seed)));
    }
  }

  private static String text(Interval interval) {
    return interval.boundedAtZero().toText(DECIMALS);
  }
}
