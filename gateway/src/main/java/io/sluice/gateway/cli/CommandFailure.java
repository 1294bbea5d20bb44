package io.sluice.gateway.cli;

/** A command can't go on, for a reason that its user can mend. The message is one line. */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandFailure(String message) {
    super(message);
  }

  CommandFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
