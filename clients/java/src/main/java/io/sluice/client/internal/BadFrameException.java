package io.sluice.client.internal;

import java.util.Map;

/** Violation of the protocol by a frame of the node; the message names the member. */
public final class BadFrameException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Map<String, Object> members;

  /** Creates an exception that names what is wrong. */
  public BadFrameException(String message) {
    this(message, Map.of());
  }

  /** Creates an exception with the readable members of a message. */
  public BadFrameException(String message, Map<String, Object> members) {
    super(message);
    this.members = members;
  }

  /** Returns the readable members of the message; empty if its subscription is unknown. */
  public Map<String, Object> members() {
    return members;
  }
}
