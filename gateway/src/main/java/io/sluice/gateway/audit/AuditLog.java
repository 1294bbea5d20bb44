package io.sluice.gateway.audit;

import java.util.function.LongConsumer;

/** What was done to the node and by whom. Any thread may call it, and is never held up. */
public interface AuditLog extends AutoCloseable {
  /** Client as lines of the audit log name it. */
  interface Client {
    /** Returns the session's number, empty before there is one. */
    String session();

    /** Returns the client's own address, behind any trusted proxy. */
    String address();

    /** Returns the subject of the credential, empty if that is unknown. */
    String subject();

    /** Returns the word of the authentication mechanism. */
    String mechanism();

    /** Returns the issuer's name of the credential, empty if it has none. */
    String credentialId();
  }

  /** How many sessions ended, where not all event loops have said so in time. */
  int UNKNOWN = -1;

  /** Keeps nothing. */
  AuditLog NONE = new AuditLog() {};

  /** Whether events of this kind are kept; worth asking before much is put together for one. */
  default boolean keeps(AuditEvent event) {
    return false;
  }

  /** A session has begun. */
  default void connected(Client client) {}

  /** A session shows another credential of the same client. */
  default void refreshed(Client client) {}

  /** A session has ended. */
  default void disconnected(Client client) {}

  /** A client's subscription to this topic or pattern stands. */
  default void subscribed(Client client, String topic) {}

  /** The broker has taken a client's message. */
  default void published(Client client, String topic) {}

  /**
   * A client did not get what it wanted.
   *
   * @param what such as handshake, connect, subscribe, publish
   * @param topic null where it is about none
   * @param why a word that stays, such as forbidden
   */
  default void refused(Client client, String what, String topic, String why) {}

  /**
   * An operator has withdrawn credentials, or ended a session.
   *
   * @param kind token, certificate, subject or session
   * @param by which operator
   * @param closed how many sessions ended by it, or {@link #UNKNOWN}
   */
  default void revoked(String kind, String value, Operator by, int closed) {}

  /** An operator has taken a revocation back; the parameters are those of {@link #revoked}. */
  default void restored(String kind, String value, Operator by) {}

  /**
   * An operator has told the node to do something with all of its clients.
   *
   * @param what drain or rebalance
   * @param by which operator
   */
  default void commanded(String what, Operator by) {}

  /**
   * Somebody did not get what they wanted on the admin port.
   *
   * @param what method and path
   * @param by who, without a token
   * @param why a word that stays, such as wrong-token
   */
  default void adminRefused(String what, Operator by, String why) {}

  /** From now on this hears how many events could not be kept. */
  default void onDropped(LongConsumer counter) {}

  /** Writes what is left, for a short time at most. Nothing is kept after it. */
  @Override
  default void close() {}
}
