package io.sluice.gateway.auth;

/** What was done to the node and by whom. Any thread may call it, and is never held up. */
public interface AuditLog {
  /** Keeps nothing. */
  AuditLog NONE = new AuditLog() {};

  /** A session has begun. */
  default void connected(Peer peer) {}

  /** A session shows another credential of the same client. */
  default void refreshed(Peer peer) {}

  /** A session has ended. */
  default void disconnected(Peer peer) {}

  /** A client has been given this topic or pattern. */
  default void subscribed(Peer peer, String topic) {}

  /** A client's message has gone to the broker. */
  default void published(Peer peer, String topic) {}

  /**
   * A client did not get what it wanted.
   *
   * @param what such as connect, subscribe, publish
   * @param topic null where it is about none
   * @param why a word that stays, such as forbidden
   */
  default void refused(Peer peer, String what, String topic, String why) {}

  /**
   * An operator has withdrawn credentials.
   *
   * @param kind token, subject or session
   * @param by the operator's address
   * @param closed how many sessions ended by it
   */
  default void revoked(String kind, String value, String by, int closed) {}
}
