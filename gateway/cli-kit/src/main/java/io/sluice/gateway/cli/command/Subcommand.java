package io.sluice.gateway.cli.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command that does something. Commands inherit what this annotation states. Main thread only. */
@Command(
    exitCodeListHeading = "%nExit codes:%n",
    footerHeading = "%nExample:%n",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
public abstract class Subcommand implements Callable<Integer> {
  /** Exit code of an invalid command line, for the help. */
  public static final String INVALID_COMMAND_LINE = "2:the command line is invalid";

  private static final int MAX_PORT = 65_535;

  @Spec private CommandSpec spec;

  /** Prints a line of the result. */
  protected final void print(Object line) {
    print(spec.commandLine().getOut(), line);
  }

  /** Prints a failure after which the command continues. */
  protected final void printFailure(Object line) {
    print(spec.commandLine().getErr(), line);
  }

  private static void print(PrintWriter to, Object line) {
    to.println(line);
    to.flush();
  }

  /** Checks the bounds of a port given as an option. */
  protected final void requirePort(String option, int port) {
    if (port < 0 || port > MAX_PORT) {
      throw wrongUse(option + " " + port + " is not a port; expected 0 to " + MAX_PORT);
    }
  }

  /** Returns the failure of an invalid command line. */
  protected final ParameterException wrongUse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
