package io.sluice.gateway.session;

import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.ErrorCode;
import java.util.concurrent.CompletableFuture;

/**
 * Pre-authentication state of a session: buffers frames until the credential is checked. Discarded
 * after authentication, so an established session pays nothing for it. Bound to the client's event
 * loop.
 */
final class Authenticating {
  private final Session session;
  private final SessionPolicy policy;
  private final Credential shown;

  /** Null until there is somebody who has to be asked. */
  private PreAuthBuffer kept;

  /** By when the node will close the connection, or 0 if it does not drain. */
  private long drainedByMs;

  /** Where it should go then, or null. */
  private String leavesFor;

  private boolean inputEnded;

  /**
   * @param shown the credential that came with the handshake, or null
   */
  Authenticating(Session session, Credential shown) {
    this.session = session;
    this.policy = session.policy;
    this.shown = shown;
  }

  /** Whether the client has asked to be let in. */
  boolean hasBegun() {
    return kept != null;
  }

  void onDraining(long deadlineMs, String url) {
    drainedByMs = deadlineMs;
    leavesFor = url;
  }

  void onInputEnd() {
    inputEnded = true;
  }

  void onFrame(ClientFrame frame, long size) {
    if (kept == null) {
      onFirst(frame, size);
    } else {
      keep(frame, size);
    }
  }

  private void onFirst(ClientFrame first, long size) {
    boolean connects = first instanceof ClientFrame.Connect;
    CompletableFuture<Principal> check = policy.credentials.begin(credential(first));
    if (check.isDone()) { // nobody had to be asked
      onChecked(first, check);
      if (!connects && session.isListening()) {
        session.onOpenFrame(first);
      }
    } else {
      kept = policy.newKeptFrames();
      if (!connects) {
        keep(first, size);
      }
      check.whenComplete((who, why) -> session.later(() -> onChecked(first, check)));
    }
  }

  private Credential credential(ClientFrame first) {
    return first instanceof ClientFrame.Connect connect && !connect.token().isEmpty()
        ? new Credential.Token(connect.token())
        : shown;
  }

  private void keep(ClientFrame frame, long size) {
    if (kept.isTooMuch(size)) {
      session.close(CloseCode.TOO_BIG);
    } else if (kept.isTooWrong(frame, policy.options.errors())) {
      session.close(CloseCode.TOO_MANY_ERRORS);
    } else if (!kept.add(frame, size)) {
      session.close(CloseCode.OVERLOADED);
    }
  }

  private void onChecked(ClientFrame first, CompletableFuture<Principal> check) {
    if (!session.isEntering()) {
      return; // it has left meanwhile
    }
    try {
      Principal principal = policy.credentials.end(check);
      session.identify(principal);
      String place = place(first);
      if (place == null) {
        enter(principal, policy.access.permissions().grant(principal), followsRedirects(first));
      } else {
        session.send(policy.frames.redirect(place));
        session.close(CloseCode.REDIRECTED);
      }
    } catch (AuthenticationFailure e) {
      refuse(first.ref(), e);
    }
  }

  // Asked only now: who may not come in has no business with other nodes' addresses.
  private String place(ClientFrame first) {
    boolean wasSent = first instanceof ClientFrame.Connect connect && connect.redirected();
    return followsRedirects(first) && !wasSent ? policy.moves.entry() : null;
  }

  private static boolean followsRedirects(ClientFrame first) {
    return first instanceof ClientFrame.Connect connect && connect.redirect();
  }

  private void refuse(long ref, AuthenticationFailure failure) {
    String reason = failure.reason().word();
    policy.metrics.authenticationFailed(reason);
    policy.access.audit().refused(session.peer(failure.owner()), "connect", null, reason);
    session.send(session.refusal(ref, ErrorCode.UNAUTHORIZED, failure.getMessage(), null));
    session.close(CredentialCheck.closeCode(failure.reason()));
  }

  private void enter(Principal principal, Grant grant, boolean followsRedirects) {
    if (isOverQuota(principal)) {
      session.auditRefused("connect", null, "too-many-connections");
      session.close(CloseCode.TOO_MANY_CONNECTIONS);
      return;
    }
    policy.metrics.authenticated(principal.mechanism().word());
    try {
      session.open(grant, followsRedirects);
      tellWhatHasBegun();
      doWhatWasKept();
    } finally {
      if (kept != null) {
        kept.close();
      }
    }
    if (inputEnded) {
      session.onInputEnd();
    }
  }

  // Clients without a credential are not counted: they cannot be told apart.
  private boolean isOverQuota(Principal principal) {
    String name = principal.mechanism().word() + " " + principal.name();
    return !principal.isSameAs(Principal.ANONYMOUS)
        && session.connection.lease().acquirePrincipal(name) != null;
  }

  // Who was not in yet when the node began to drain would otherwise be closed without a word.
  private void tellWhatHasBegun() {
    if (drainedByMs != 0) {
      session.onDraining(drainedByMs, leavesFor);
    }
  }

  private void doWhatWasKept() {
    if (kept == null) {
      return;
    }
    ClientFrame frame = kept.next();
    while (frame != null && session.isListening()) {
      session.onOpenFrame(frame);
      frame = kept.next();
    }
  }

  /** The connection has gone before the client was in. */
  void onClosed() {
    if (kept != null) {
      kept.close();
    }
  }
}
