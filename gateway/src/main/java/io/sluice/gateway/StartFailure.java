package io.sluice.gateway;

/** Failure of a node's start. Immutable; the message states the cause to the operator. */
public final class StartFailure extends Exception {
  private static final long serialVersionUID = 1L;

  StartFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
