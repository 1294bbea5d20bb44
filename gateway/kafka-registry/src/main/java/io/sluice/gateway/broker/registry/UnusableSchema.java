package io.sluice.gateway.broker.registry;

/** Reports that a schema is absent, malformed or of an unknown type, until someone changes it. */
final class UnusableSchema extends Exception {
  private static final long serialVersionUID = 1L;

  UnusableSchema(String problem) {
    super(problem);
  }

  UnusableSchema(String problem, Throwable cause) {
    super(problem + ": " + cause.getMessage(), cause);
  }
}
