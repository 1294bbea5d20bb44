package io.sluice.gateway.stomp;

/**
 * Frame of a client whose answer by the session is missing. Immutable.
 *
 * @param kind type of frame
 * @param receipt receipt that the client requested, or null
 * @param temporary name of the temporary queue of a request; otherwise null
 * @param correlationId correlation id of a request, or null
 */
record Awaited(Kind kind, String receipt, String temporary, String correlationId) {
  /** Types of frames. */
  enum Kind {
    SEND,
    REQUEST,
    SETTLE,
    COMMIT,
    UNSUBSCRIBE
  }

  Awaited(Kind kind, String receipt) {
    this(kind, receipt, null, null);
  }

  /**
   * Returns whether a refusal needs no ERROR: a message that is not pending is delivered again, and
   * a requester waits for its reply only.
   */
  boolean tolerates(String code) {
    return switch (kind) {
      case SETTLE -> receipt == null && code.equals("not-pending");
      case REQUEST -> code.equals("timeout") || code.equals("no-reply");
      default -> false;
    };
  }
}
