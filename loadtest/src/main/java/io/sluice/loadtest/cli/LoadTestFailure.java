package io.sluice.loadtest.cli;

/** Failure of a command that its user can correct. The message is one line. */
final class LoadTestFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** A failure; the message names what was wrong and where. */
  LoadTestFailure(String message) {
    super(message);
  }

  /** A failure that something else led to. */
  LoadTestFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
