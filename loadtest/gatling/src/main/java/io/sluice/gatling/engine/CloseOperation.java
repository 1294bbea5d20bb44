package io.sluice.gatling.engine;

/** Closes the connection of a virtual user, and evaluates the checks of its streams. Immutable. */
public record CloseOperation() implements Operation {
  @Override
  public void run(Execution execution) {
    execution.session(execution.user().close(execution.session()));
    execution.proceed();
  }
}
