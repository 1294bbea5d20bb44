package io.sluice.gateway.session;

import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.limits.UserKey;
import io.sluice.gateway.protocol.Destination;

/**
 * Identity and permissions of a session's client. Bound to the event loop of its connection, except
 * {@link #requester}.
 */
public final class ClientIdentity {
  private final SessionPolicy policy;
  private final Connection connection;
  private Principal principal = Principal.ANONYMOUS;

  /** Null until the session is open; likewise the requester. */
  private Grant grant;

  private Requester requester;
  private long number;

  ClientIdentity(SessionPolicy policy, Connection connection) {
    this.policy = policy;
    this.connection = connection;
  }

  /** Returns the client's principal; anonymous before authentication. */
  public Principal principal() {
    return principal;
  }

  /** Sets the principal, with the claims that a change of the rules needs. */
  void identify(Principal authenticated) {
    principal = policy.access.permissions().retained(authenticated);
  }

  /** Assigns the client's first grant, and the sequence number of its session on this node. */
  void open(Grant granted, long sessionNumber) {
    grant = granted;
    number = sessionNumber;
    requester =
        new Requester(sessionId(), userKey(), (int) sessionNumber); // consecutive: even lanes
  }

  // Clients of one network that need no credential are one user.
  private String userKey() {
    return principal.mechanism() == Principal.Mechanism.ANONYMOUS
        ? AddressRange.network(connection.address())
        : UserKey.of(principal.mechanism().word() + ' ' + principal.name());
  }

  /** Returns the client's permissions; null until the session is open. */
  public Grant grant() {
    return grant;
  }

  /** Replaces the client's grant. */
  void grant(Grant granted) {
    grant = granted;
  }

  /** Returns the sequence number of the session on this node; 0 until it is open. */
  long number() {
    return number;
  }

  /** Returns the id of the session; empty if it is not open yet. */
  String sessionId() {
    return policy.sessionId(number);
  }

  /** Returns this client as the origin of requests to the broker. Any thread, once it is open. */
  public Requester requester() {
    return requester;
  }

  /** Returns this client for the audit log. */
  public Peer peer() {
    return peer(principal);
  }

  /** Returns this client with another principal, such as that of a refused credential. */
  Peer peer(Principal owner) {
    return new Peer(sessionId(), connection.address(), owner);
  }

  /** Returns whether the audit log records events of this kind. */
  public boolean isAudited(AuditEvent event) {
    return policy.access.audit().isRecorded(event);
  }

  /**
   * Writes a rejected request of the client to the audit log.
   *
   * @param destination the destination that it names, or null
   */
  public void auditRefused(String what, Destination destination, String why) {
    if (isAudited(AuditEvent.REFUSED)) {
      policy.access.audit().refused(peer(), what, resource(destination), why);
    }
  }

  /** Writes a message of the client that the broker has accepted to the audit log. */
  public void auditPublished(Destination destination) {
    if (isAudited(AuditEvent.PUBLISHED)) {
      policy.access.audit().published(peer(), resource(destination));
    }
  }

  /** Returns a destination for the audit log, or null. */
  public static AuditLog.Resource resource(Destination destination) {
    return destination == null
        ? null
        : new AuditLog.Resource(destination.isQueue() ? "queue" : "topic", destination.name());
  }
}
