package io.sluice.client.internal;

/** Violation of the protocol by a frame of the node; the message names the member. */
public final class BadFrameException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception that names what is wrong. */
  public BadFrameException(String message) {
    super(message);
  }
}
