package io.sluice.gateway.session;

import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.websocket.CloseCode;
import java.util.concurrent.CompletableFuture;

/**
 * Pre-authentication state of a session: buffers frames until the credential is checked. Discarded
 * after authentication, so an established session pays nothing for it. Bound to the client's event
 * loop.
 */
final class Authenticating {
  private final Session session;
  private final SessionPolicy policy;
  private final Credential handshakeCredential;

  /** Null until an asynchronous check is pending. */
  private PreAuthBuffer buffer;

  /** Time at which the draining node closes the connection, or 0 if it does not drain. */
  private long drainDeadlineMs;

  /** Redirect target of the drain, or null. */
  private String drainUrl;

  private boolean inputEnded;

  /**
   * @param handshakeCredential the credential of the handshake, or null
   */
  Authenticating(Session session, Credential handshakeCredential) {
    this.session = session;
    this.policy = session.policy;
    this.handshakeCredential = handshakeCredential;
  }

  /** Returns whether a check of the client's credential is pending. */
  boolean hasStarted() {
    return buffer != null;
  }

  void onDraining(long deadlineMs, String url) {
    drainDeadlineMs = deadlineMs;
    drainUrl = url;
  }

  void onInputEnd() {
    inputEnded = true;
  }

  void onFrame(ClientFrame frame, long size) {
    if (buffer == null) {
      onFirst(frame, size);
    } else {
      buffer(frame, size);
    }
  }

  private void onFirst(ClientFrame first, long size) {
    boolean connects = first instanceof ClientFrame.Connect;
    CompletableFuture<Principal> check =
        policy.credentials.begin(credential(first), session.connection.address());
    if (check.isDone()) { // the check completed synchronously
      onChecked(first, check);
      if (!connects && session.acceptsFrames()) {
        session.onOpenFrame(first);
      }
    } else {
      buffer = policy.newPreAuthBuffer(session.connection.address());
      if (!connects) {
        buffer(first, size);
      }
      check.whenComplete((principal, failure) -> session.later(() -> onChecked(first, check)));
    }
  }

  private Credential credential(ClientFrame first) {
    return first instanceof ClientFrame.Connect connect && !connect.token().isEmpty()
        ? new Credential.Token(connect.token())
        : handshakeCredential;
  }

  private void buffer(ClientFrame frame, long size) {
    if (buffer.exceedsLimit(size)) {
      session.close(CloseCode.TOO_BIG);
    } else if (buffer.reachesErrorLimit(frame, policy.options.errors())) {
      session.close(CloseCode.TOO_MANY_ERRORS);
    } else if (!buffer.add(frame, size)) {
      session.close(CloseCode.OVERLOADED);
    }
  }

  private void onChecked(ClientFrame first, CompletableFuture<Principal> check) {
    if (!session.isAuthenticating()) {
      return; // the client has disconnected during the check
    }
    try {
      Principal principal = policy.credentials.end(session.client.sessionId(), check);
      session.client.identify(principal);
      String target = redirectTarget(first);
      if (target == null) {
        acceptCompressed(first);
        open(principal, policy.access.permissions().grant(principal), followsRedirects(first));
      } else {
        session.send(policy.frames.redirect(target));
        session.close(CloseCode.REDIRECTED);
      }
    } catch (AuthenticationFailure e) {
      refuse(first.ref(), e);
    }
  }

  // Only after authentication: other clients must not learn the addresses of other nodes.
  private String redirectTarget(ClientFrame first) {
    boolean redirected = first instanceof ClientFrame.Connect connect && connect.redirected();
    return followsRedirects(first) && !redirected ? policy.cooldown.connectTarget() : null;
  }

  private static boolean followsRedirects(ClientFrame first) {
    return first instanceof ClientFrame.Connect connect && connect.redirect();
  }

  private void acceptCompressed(ClientFrame first) {
    if (policy.options.compression()
        && first instanceof ClientFrame.Connect connect
        && connect.compressed()) {
      session.inflates(true);
    }
  }

  private void refuse(long ref, AuthenticationFailure failure) {
    String reason = failure.reason().word();
    policy.metrics.authenticationFailed(reason);
    policy.access.audit().refused(session.client.peer(failure.owner()), "connect", null, reason);
    session.send(session.refusal(ref, ErrorCode.UNAUTHORIZED, failure.getMessage(), null));
    session.close(CredentialCheck.closeCode(failure.reason()));
  }

  private void open(Principal principal, Grant grant, boolean followsRedirects) {
    if (isOverQuota(principal)) {
      session.client.auditRefused("connect", null, "too-many-connections");
      session.close(CloseCode.TOO_MANY_CONNECTIONS);
      return;
    }
    policy.metrics.authenticated(principal.mechanism().word());
    try {
      session.open(grant, followsRedirects);
      sendDraining();
      processBufferedFrames();
    } finally {
      if (buffer != null) {
        buffer.close();
      }
    }
    if (inputEnded) {
      session.onInputEnd();
    }
  }

  // Clients without a credential are not counted: they cannot be distinguished.
  private boolean isOverQuota(Principal principal) {
    return !principal.isSameAs(Principal.ANONYMOUS)
        && session.connection.lease().acquirePrincipal(principal.id()) != null;
  }

  // A drain that began during authentication would otherwise close the client without notice.
  private void sendDraining() {
    if (drainDeadlineMs != 0) {
      session.onDraining(drainDeadlineMs, drainUrl);
    }
  }

  private void processBufferedFrames() {
    if (buffer == null) {
      return;
    }
    ClientFrame frame = buffer.next();
    while (frame != null && session.acceptsFrames()) {
      session.onOpenFrame(frame);
      frame = buffer.next();
    }
  }

  /** Releases the buffer of a connection that closed before authentication. */
  void onClosed() {
    if (buffer != null) {
      buffer.close();
    }
  }
}
