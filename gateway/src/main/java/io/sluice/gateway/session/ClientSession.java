package io.sluice.gateway.session;

import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.shard.CompressionWindow;
import io.sluice.gateway.shard.HubShard;

/**
 * Identity and permissions of a session's client, and the errors that it receives. It is the
 * session's superclass, on which parts of the session depend instead of the session. Bound to the
 * event loop of its connection.
 */
abstract class ClientSession extends Recipient {
  /** Burst of refusals behind the first second, in seconds at their rate. */
  private static final int BURST_SECONDS = 9;

  private Principal principal = Principal.ANONYMOUS;
  private Grant grant;
  private int errors;

  /** Null until the number of refusals exceeds the limit of errors. */
  private TokenBucket bucket;

  private int refusals;
  private long number;

  /** Null until the session is open. */
  private Requester requester;

  ClientSession(
      Connection connection,
      HubShard shard,
      SessionPolicy policy,
      Encoding encoding,
      CompressionWindow window) {
    super(connection, shard, policy, encoding, window);
  }

  /** Returns whether the session accepts frames of the client. */
  abstract boolean acceptsFrames();

  /** Returns whether a ref identifies a tagged subscription or a consumer. */
  abstract boolean isRefInUse(long ref);

  /** Closes a session without further input once no reply and no subscription is left. */
  abstract void closeIfComplete();

  /** Returns the sequence number of the session on this node; 0 until it is open. */
  long number() {
    return number;
  }

  /** Returns the id of the session; empty if it is not open yet. */
  public String sessionId() {
    return policy.sessionId(number);
  }

  /** Sets what an authenticated client may do, and its number. */
  void identify(Grant granted, long sessionNumber) {
    grant = granted;
    number = sessionNumber;
    requester =
        new Requester(sessionId(), userKey(), (int) sessionNumber); // consecutive: even lanes
    if (granted.compressesAlone()) {
      compressAlone();
    }
  }

  // Clients of one network that need no credential are one user.
  private String userKey() {
    return principal.mechanism() == Principal.Mechanism.ANONYMOUS
        ? AddressRange.network(connection.address())
        : principal.mechanism().word() + ' ' + principal.name();
  }

  @Override
  public final String user() {
    return requester.user();
  }

  /** Returns this client as the origin of requests to the broker. Any thread, once it is open. */
  Requester requester() {
    return requester;
  }

  /** Runs a task on the event loop; a bug ends the session, as it does while processing a frame. */
  void later(Runnable task) {
    connection.execute(
        () -> {
          try {
            task.run();
          } catch (RuntimeException bug) {
            policy.onBug(sessionId(), bug);
            if (!isClosing()) {
              close(CloseCode.INTERNAL_ERROR);
            }
          }
        });
  }

  boolean isAudited(AuditEvent event) {
    return policy.access.audit().isRecorded(event);
  }

  /** Writes a rejected request of the client to the audit log. */
  void auditRefused(String what, Destination destination, String why) {
    if (isAudited(AuditEvent.REFUSED)) {
      policy.access.audit().refused(peer(), what, resource(destination), why);
    }
  }

  /** Returns a destination for the audit log, or null. */
  static AuditLog.Resource resource(Destination destination) {
    return destination == null
        ? null
        : new AuditLog.Resource(destination.isQueue() ? "queue" : "topic", destination.name());
  }

  Peer peer() {
    return peer(principal);
  }

  /** Returns this client with another principal, such as that of a refused credential. */
  Peer peer(Principal owner) {
    return new Peer(sessionId(), connection.address(), owner);
  }

  Principal principal() {
    return principal;
  }

  /** Sets the principal, with the claims that a change of the rules needs. */
  void identify(Principal authenticated) {
    principal = policy.access.permissions().retained(authenticated);
  }

  Grant grant() {
    return grant;
  }

  /** Replaces the client's grant. */
  void grant(Grant granted) {
    grant = granted;
  }

  /** Rejects a request of the client. */
  void refuse(String what, long ref, TopicRules.Problem problem, Destination destination) {
    refuse(what, ref, problem.code(), problem.message(), destination);
  }

  /** Rejects a request of the client and audits it, unlike a mere {@linkplain #error error}. */
  void refuse(String what, long ref, ErrorCode code, String why, Destination destination) {
    if (isWithinRate(code)) {
      auditRefused(what, destination, code.code());
      send(refusal(ref, code, why, destination));
      countMalformed(code);
    } else {
      limit(ref, code, destination);
    }
  }

  /**
   * Sends an error that the client caused. Too many malformed frames end the session. Any other
   * refusal costs a rate, past which the answer is {@code rate-limited}.
   */
  void error(long ref, ErrorCode code, String message, Destination destination) {
    if (isWithinRate(code)) {
      send(refusal(ref, code, message, destination));
      countMalformed(code);
    } else {
      limit(ref, code, destination);
    }
  }

  private void countMalformed(ErrorCode code) {
    if (code.isMalformed()) {
      countError();
    }
  }

  /** Counts a refusal; returns false past the rate of refusals. */
  // Most clients have fewer refusals than the limit of errors and need no bucket. The rate of
  // frames has a separate limit.
  boolean isWithinRate(ErrorCode code) {
    int rate = policy.options.errors();
    if (code.isMalformed() || code == ErrorCode.RATE_LIMITED || ++refusals <= rate) {
      return true;
    }
    refusals = rate;
    long nowNs = System.nanoTime();
    if (bucket == null) {
      bucket = new TokenBucket(rate, BURST_SECONDS * (long) rate, nowNs);
    }
    return bucket.take(nowNs);
  }

  private void limit(long ref, ErrorCode code, Destination destination) {
    send(refusal(ref, ErrorCode.RATE_LIMITED, rateProblem(code), destination));
  }

  /** Returns why a refused frame is answered with {@code rate-limited}. */
  String rateProblem(ErrorCode code) {
    return "over %d refused frames a second; this one is refused with %s"
        .formatted(policy.options.errors(), code.code());
  }

  /** Counts a malformed frame; too many of them end the session. */
  void countError() {
    if (++errors >= policy.options.errors() && acceptsFrames()) {
      close(CloseCode.TOO_MANY_ERRORS);
    }
  }
}
