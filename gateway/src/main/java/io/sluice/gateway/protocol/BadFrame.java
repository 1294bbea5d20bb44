package io.sluice.gateway.protocol;

import java.io.IOException;

/** A member of a client's frame is missing or of the wrong kind. */
final class BadFrame extends IOException {
  /** The largest whole number that every client's language has exactly. */
  static final long MOST_EXACT = (1L << 53) - 1;

  private static final long serialVersionUID = 1L;

  BadFrame(String message) {
    super(message);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this; // a value on its way to the client, not a bug
  }
}
