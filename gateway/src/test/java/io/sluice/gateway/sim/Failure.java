package io.sluice.gateway.sim;

/** Violation of a guarantee. */
final class Failure extends AssertionError {
  private static final long serialVersionUID = 1;

  /** Subject whose trace explains the violation. */
  final String subject;

  Failure(String subject, String what) {
    super(subject + ": " + what);
    this.subject = subject;
  }
}
