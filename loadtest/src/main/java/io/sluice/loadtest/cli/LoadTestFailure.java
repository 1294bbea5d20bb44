package io.sluice.loadtest.cli;

/** Failure of a command that its user can correct. The message is one line. */
public final class LoadTestFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** A failure; the message names what was wrong and where. */
  public LoadTestFailure(String message) {
    super(message);
  }

  /** A failure that something else led to. */
  public LoadTestFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
