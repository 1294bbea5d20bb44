package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.protocol.CloseCode;
import java.util.function.Predicate;

/** Receives the messages of one connection, on its event loop. Payloads stay the caller's. */
public interface ConnectionListener {
  /** A whole text message, valid UTF-8. */
  void onText(ByteBuf payload);

  /** A whole binary message. */
  void onBinary(ByteBuf payload);

  /** The client has said everything, though it still listens. Only streams tell of it, once. */
  void onInputEnd();

  /** The connection is gone, or nothing more can be sent on it. Called once, last. */
  void onClosed();

  /** Whether the client has opened its session, so that it may stay. */
  boolean isOpen();

  /** Why it can't stay any longer, or null if it can. */
  CloseCode overdue();

  /**
   * Credentials have been withdrawn.
   *
   * @return whether it ends because of that
   */
  boolean onRevoked(Predicate<Peer> revoked);

  /** What there is to tell of the session to an operator who asks this; null if nothing. */
  SessionSummary summary(SessionQuery query);

  /** The connection sends a ping, as it does again and again. */
  void onPing();

  /**
   * It is the client's turn to leave; the node will close this connection by {@code deadlineMs}.
   *
   * @param url where to go, or null for the client's own addresses
   */
  void onDraining(long deadlineMs, String url);

  /** Whether the client may be told of a better place now, and would follow it there. */
  boolean isMovable(MoveReason reason);

  /**
   * There is a better place for the client, which is movable.
   *
   * @param url where
   */
  void onBetterPlace(String url, MoveReason reason);
}
