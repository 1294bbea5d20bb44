package io.sluice.gateway.drain;

import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.session.MoveReason;

/** Client connection as seen by a drain or a rebalance. Bound to its event loop. */
public interface DrainableConnection {
  /** Notifies the client that the node drains; {@code url} is the redirect target, or null. */
  void onTurnToLeave(long deadlineMs, String url);

  /** Whether {@link #onTurnToLeave} was called. */
  boolean isToldToLeave();

  /** Whether a connection that ended with this close code was closed by its client in order. */
  boolean isFarewell(int closeCode);

  boolean isClosing();

  void close(CloseCode code);

  /** Whether the client can be redirected now. */
  boolean isMovable(MoveReason reason);

  /** Redirects the client, which {@link #isMovable}. */
  void onBetterPlace(String url, MoveReason reason);
}
