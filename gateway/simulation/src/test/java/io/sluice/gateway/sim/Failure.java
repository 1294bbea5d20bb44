package io.sluice.gateway.sim;

/** Violation of a guarantee. */
public final class Failure extends AssertionError {
  private static final long serialVersionUID = 1;

  /** Subject whose trace explains the violation. */
  public final String subject;

  public Failure(String subject, String what) {
    super(subject + ": " + what);
    this.subject = subject;
  }
}
