package io.sluice.gateway;

/** The node could not start; the message is for the operator and names what stood in the way. */
public final class StartFailure extends Exception {
  private static final long serialVersionUID = 1L;

  StartFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
