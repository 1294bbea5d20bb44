package io.sluice.loadtest.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * Command line of {@code sluice} for measurements: dispatches to its commands and maps failures to
 * exit codes. Used by the main thread only.
 */
@Command(
    name = "sluice",
    header = "Measures a gateway and its broker.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    subcommands = {LoadCommand.class})
public final class LoadTestCli implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Also print the stack trace of an error.")
  private boolean verbose;

  private LoadTestCli() {}

  /** Runs one command and exits with its exit code. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    LoadTestCli cli = new LoadTestCli();
    return new CommandLine(cli)
        .addSubcommand(new AbTestCommand())
        .addSubcommand(new CompareCommand())
        .addSubcommand(new BenchBrokerCommand())
        .addSubcommand(new BenchLinksCommand())
        .addSubcommand(new IntervalsCommand())
        .addSubcommand(new PlanCommand())
        .addSubcommand(new ReportCommand())
        .addSubcommand(new SimulateCommand())
        .setUsageHelpWidth(100)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setAbbreviatedOptionsAllowed(false)
        .setParameterExceptionHandler(LoadTestCli::onUsageError)
        .setExecutionExceptionHandler(cli::onFailure);
  }

  /** Reports the usage error of a missing command. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing command");
  }

  private static int onUsageError(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    command.getErr().println(name + ": " + e.getMessage());
    command.getErr().println("Try '" + name + " --help'.");
    return ExitCode.USAGE;
  }

  private int onFailure(Exception e, CommandLine command, ParseResult parsed) {
    String name = command.getCommandSpec().qualifiedName();
    command.getErr().println(name + ": " + (e instanceof LoadTestFailure ? e.getMessage() : e));
    if (verbose) {
      e.printStackTrace(command.getErr());
    }
    return ExitCode.FAILED;
  }
}
