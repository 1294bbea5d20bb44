package io.sluice.client;

/** Thrown by a supplier of tokens if there is no user: closes the client, which does not retry. */
public final class LoggedOutException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception of a user who has logged out. */
  public LoggedOutException() {
    super("the user has logged out");
  }
}
