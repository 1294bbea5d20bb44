package io.sluice.gateway.revocation;

/** File of revocations that cannot be used; the message names the file. */
public final class UnusableRevocations extends Exception {
  private static final long serialVersionUID = 1;

  UnusableRevocations(String message, Throwable cause) {
    super(message, cause);
  }
}
