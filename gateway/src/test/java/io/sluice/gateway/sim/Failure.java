package io.sluice.gateway.sim;

/** A broken promise. */
final class Failure extends AssertionError {
  private static final long serialVersionUID = 1;

  /** Whose trace tells how it came about. */
  final String subject;

  Failure(String subject, String what) {
    super(subject + ": " + what);
    this.subject = subject;
  }
}
