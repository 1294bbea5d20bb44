package io.sluice.loadtest.cli;

/** Exit codes of the commands. */
final class ExitCode {
  /** The command has succeeded. */
  static final int OK = 0;

  /** The command has failed. */
  static final int FAILED = 1;

  /** The command line is invalid. */
  static final int USAGE = 2;

  private ExitCode() {}
}
