package io.sluice.gateway.cli;

/** Failure of a command that its user can correct. Immutable; the message is for the user. */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandFailure(String message) {
    super(message);
  }

  CommandFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
