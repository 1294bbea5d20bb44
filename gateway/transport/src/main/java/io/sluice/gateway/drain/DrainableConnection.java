package io.sluice.gateway.drain;

import io.sluice.gateway.session.RedirectReason;
import io.sluice.gateway.websocket.CloseCode;

/** Client connection as a drain or a rebalance uses it. Bound to its event loop. */
public interface DrainableConnection {
  /** Notifies the client that the node drains; {@code url} is the redirect target, or null. */
  void notifyDraining(long deadlineMs, String url);

  /** Returns whether {@link #notifyDraining} was called. */
  boolean isDrainNotified();

  /**
   * Returns whether this close code means that the client itself closed the connection in order.
   */
  boolean isOrderlyClose(int closeCode);

  boolean isClosing();

  void close(CloseCode code);

  /** Returns whether the client can be redirected now. */
  boolean isMovable(RedirectReason reason);

  /** Redirects the client. To be called only if {@link #isMovable} returns true. */
  void redirect(String url, RedirectReason reason);
}
