package io.sluice.gateway.auth;

/** An issuer answered nothing that could be used; the message is for the operator. */
final class UnusableAnswer extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnusableAnswer(String message, Throwable cause) {
    super(message, cause);
  }
}
