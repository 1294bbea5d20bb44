package io.sluice.gateway.audit;

import java.util.List;
import java.util.function.LongConsumer;

/** Log of the actions of clients and operators. Any thread may call it; it never blocks. */
public interface AuditLog extends AutoCloseable {
  /**
   * Topic or queue that an action addresses.
   *
   * @param kind topic or queue, the member of the line
   */
  record Resource(String kind, String name) {
    /** Returns a topic. */
    public static Resource topic(String name) {
      return new Resource("topic", name);
    }
  }

  /** Client as written to the audit log. */
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

  /** Maximum number of lines per second about clients. */
  int RATE = 1000;

  /** Number of ended sessions if not all event loops have replied in time. */
  int UNKNOWN = -1;

  /** Log that discards all events. */
  AuditLog NONE = new AuditLog() {};

  /**
   * Returns whether events of this kind are recorded; callers check it before they create costly
   * arguments.
   */
  default boolean isRecorded(AuditEvent event) {
    return false;
  }

  /** Records the start of a session. */
  default void connected(Client client) {}

  /** Records that a session has a new credential of the same client. */
  default void refreshed(Client client) {}

  /**
   * Records the end of a session.
   *
   * @param why stable reason, such as idle or closed-by-client
   * @param by address of the operator who has ended it, or null
   */
  default void disconnected(Client client, String why, String by) {}

  /** Records that a client is subscribed to a topic or pattern. */
  default void subscribed(Client client, String topic) {}

  /** Records that a client has a consumer of a queue or of a subscription of a topic. */
  default void consuming(Client client, Resource resource) {}

  /** Records that a client has deleted a durable subscription of a topic or pattern. */
  default void deleted(Client client, String topic, String name) {}

  /** Records that the broker has accepted a client's message. */
  default void published(Client client, Resource resource) {}

  /**
   * Records a rejected request of a client.
   *
   * @param what the action, such as handshake, connect, subscribe, publish
   * @param resource null if the action has none
   * @param why stable reason, such as forbidden
   */
  default void refused(Client client, String what, Resource resource, String why) {}

  /**
   * Records that an operator has revoked credentials or ended a session.
   *
   * @param kind token, certificate, subject or session
   * @param by the operator
   * @param closed number of ended sessions, or {@link #UNKNOWN}
   */
  default void revoked(String kind, String value, Operator by, int closed) {}

  /**
   * Records that an operator has removed a revocation; the parameters are those of {@link
   * #revoked}.
   */
  default void restored(String kind, String value, Operator by) {}

  /**
   * Records an operator's command that concerns all clients of the node.
   *
   * @param what drain, undrain, rebalance or reload
   * @param by the operator
   */
  default void commanded(String what, Operator by) {
    commanded(what, null, by);
  }

  /**
   * Records an operator's command.
   *
   * @param what drain, undrain, rebalance, reload, log-level, delete-durable, disconnect, redirect,
   *     trace or tail
   * @param value the deleted subscription (principal, topic and name), session or topic; null if
   *     there is none
   * @param by the operator
   */
  default void commanded(String what, String value, Operator by) {
    commanded(what, value, by, null);
  }

  /**
   * Records an operator's command that may have failed.
   *
   * @param why why it had no effect, or none that is known; null if it was run
   */
  default void commanded(String what, String value, Operator by, String why) {}

  /**
   * Records a rejected request at the admin port.
   *
   * @param what method and path
   * @param by the sender, with a credential if that is authentic
   * @param why stable reason, such as wrong-token
   */
  default void adminRefused(String what, Operator by, String why) {}

  /** Returns the latest lines in memory, the latest first; not called by event loops. */
  default List<String> recent() {
    return List.of();
  }

  /** Sets the listener for the number of discarded events. */
  default void onDropped(LongConsumer counter) {}

  /** Writes the queued events within a short timeout. Later events are discarded. */
  @Override
  default void close() {}
}
