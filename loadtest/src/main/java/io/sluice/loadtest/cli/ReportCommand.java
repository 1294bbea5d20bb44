package io.sluice.loadtest.cli;

import io.sluice.loadtest.report.Reports;
import io.sluice.loadtest.result.Measurement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that writes the report pages of a measurement. Used by the main thread only. */
@Command(
    name = "report",
    header = "Write the report pages of a measurement in HTML and Markdown.",
    exitCodeListHeading = MeasurementHelp.EXIT_CODES,
    exitCodeList = {
      "0:the pages were written; their paths are printed",
      "1:a file cannot be read or written",
      MeasurementHelp.INVALID_COMMAND_LINE
    },
    footerHeading = MeasurementHelp.EXAMPLE,
    footer = "  sluice report simulation.json",
    mixinStandardHelpOptions = true)
final class ReportCommand implements Callable<Integer> {
  private static final String ENDING = ".json";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE.json", description = "Measurement of a simulation.")
  private Path file;

  @Option(
      names = "--folder",
      paramLabel = "FOLDER",
      description = "Output folder (default: the folder of the file).")
  private Path folder;

  @Override
  public Integer call() {
    try {
      Reports.pages(Measurement.read(file), folder(), name())
          .forEach(page -> spec.commandLine().getOut().println(page));
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw new LoadTestFailure(e.getMessage(), e);
    } catch (IOException e) {
      throw new LoadTestFailure("cannot read or write: " + e.getMessage(), e);
    }
  }

  private Path folder() {
    return folder != null ? folder : file.toAbsolutePath().getParent();
  }

  private String name() {
    String name = file.getFileName().toString();
    return name.endsWith(ENDING) ? name.substring(0, name.length() - ENDING.length()) : name;
  }
}
