package io.sluice.gateway.cli.command;

/** Failure of a command that its user can correct. Immutable; the message is for the user. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  public CommandFailure(String message) {
    super(message);
  }

  public CommandFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
