package io.sluice.loadtest.cli;

/** Texts of the help that all commands share. Constants, for any thread. */
final class MeasurementHelp {
  /** Heading of the exit codes. */
  static final String EXIT_CODES = "%nExit codes:%n";

  /** Heading of the example. */
  static final String EXAMPLE = "%nExample:%n";

  /** Exit code of an invalid command line. */
  static final String INVALID_COMMAND_LINE = "2:the command line is invalid";

  private MeasurementHelp() {}
}
