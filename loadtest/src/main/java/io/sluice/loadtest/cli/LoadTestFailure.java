package io.sluice.loadtest.cli;

/** Failure of a command that its user can correct. The message is one line. */
final class LoadTestFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates a failure; the message names the error and its place. */
  LoadTestFailure(String message) {
    super(message);
  }

  /** Creates a failure with a cause. */
  LoadTestFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
