package io.sluice.gateway.cli.command;

/** Texts of the help that all commands share. Constants, for any thread. */
public final class HelpText {
  /** Heading of the exit codes. */
  public static final String EXIT_CODES = "%nExit codes:%n";

  /** Heading of the example. */
  public static final String EXAMPLE = "%nExample:%n";

  /** Exit code of an invalid command line. */
  public static final String INVALID_COMMAND_LINE = "2:the command line is invalid";

  private HelpText() {}
}
