package io.sluice.gateway.protocol;

import java.io.IOException;

/** Client frame with a missing member or one of the wrong type. */
final class BadFrame extends IOException {
  /** Largest integer that every client's language represents exactly. */
  static final long MAX_EXACT = (1L << 53) - 1;

  private static final long serialVersionUID = 1L;

  BadFrame(String message) {
    super(message);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this; // reported to the client as a value, not a bug
  }
}
