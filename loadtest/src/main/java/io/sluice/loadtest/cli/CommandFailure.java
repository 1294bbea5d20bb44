package io.sluice.loadtest.cli;

/** A command can't go on, for a reason that its user can mend. The message is one line. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** A failure; the message names what was wrong and where. */
  public CommandFailure(String message) {
    super(message);
  }

  /** A failure that something else led to. */
  public CommandFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
