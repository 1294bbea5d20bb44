package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.PermissionLoss;
import io.sluice.gateway.websocket.CloseCode;
import java.util.function.Predicate;

/**
 * Listener for the messages and events of one connection. Called on its event loop; the caller
 * keeps ownership of payloads.
 */
public interface ConnectionListener {
  /** Notifies that the client can be sent bytes, from the next task of the event loop on. */
  default void onOpen() {}

  /**
   * Returns the last bytes of a connection without WebSocket frames that the node closes, owned by
   * the caller.
   *
   * @param code number of the {@link CloseCode}
   */
  default ByteBuf lastBytes(int code) {
    return Unpooled.EMPTY_BUFFER;
  }

  /** Processes a complete text message of valid UTF-8. */
  void onText(ByteBuf payload);

  /** Processes a complete binary message. */
  void onBinary(ByteBuf payload);

  /**
   * Notifies that the client sends no more input, but still receives. Called at most once, only by
   * HTTP streams.
   */
  void onInputEnd();

  /** Notifies that the client has sent a close frame, before {@link #onClosed}. */
  default void onClosedByClient(int code) {}

  /**
   * Notifies that the connection is closed or can no longer send. Called once, as the last method.
   */
  void onClosed();

  /** Returns the id of the session; empty if it is not open yet. */
  default String sessionId() {
    return "";
  }

  /** Returns whether the client has begun its session before the open timeout. */
  boolean isOpen();

  /** Returns the close code of a session whose credential has expired, or null. */
  CloseCode expiryCode();

  /**
   * Closes the session if its credential is revoked.
   *
   * @return whether the session ends
   */
  boolean onRevoked(Predicate<Peer> revoked);

  /**
   * Applies reloaded permissions to the session, and ends what they no longer allow.
   *
   * @return whether the session ends
   */
  default boolean onReload() {
    return false;
  }

  /**
   * Returns what the session loses by a reload, or null.
   *
   * @param next the policy that the reload leads to
   */
  default PermissionLoss loss(SessionPolicy next) {
    return null;
  }

  /** Returns the session as operators see it, or null if it is not open. */
  default ClientView view() {
    return null;
  }

  /** Notifies that the connection sends a periodic ping. */
  void onPing();

  /**
   * Requests the client to leave; the node closes this connection at {@code deadlineMs}.
   *
   * @param url redirect target, or null for the client's configured addresses
   */
  void onDraining(long deadlineMs, String url);

  /** Returns whether the client follows redirects and may be redirected now. */
  boolean isMovable(RedirectReason reason);

  /**
   * Redirects the client, for which {@link #isMovable} returns true.
   *
   * @param url redirect target
   */
  void onRedirect(String url, RedirectReason reason);

  /** Closes the connection with an answer of the protocol; returns false if it has none. */
  default boolean closes(CloseCode code) {
    return false;
  }
}
