package io.sluice.gateway.session;

import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ErrorCode;
import java.util.concurrent.CompletableFuture;

/**
 * Credential refresh of an authenticated session, one at a time. Only clients that do so have one.
 * Bound to the client's event loop.
 */
final class Refreshing {
  /** Seconds whose refreshes may come at once. */
  private static final int AT_ONCE = 5;

  private final Session session;
  private final SessionPolicy policy;
  private final TokenBucket budget;
  private boolean checking;

  Refreshing(Session session) {
    this.session = session;
    this.policy = session.policy;
    int rate = policy.options.refreshRate();
    this.budget = new TokenBucket(rate, rate * AT_ONCE, System.nanoTime());
  }

  /** Whether no credential waits for its check. */
  boolean isAnswered() {
    return !checking;
  }

  void onRefresh(ClientFrame.Refresh frame) {
    if (checking) {
      String why = "the node is still checking the credential of an earlier refresh";
      session.refuse("refresh", frame.ref(), ErrorCode.RATE_LIMITED, why, null);
    } else if (!budget.take(System.nanoTime())) {
      String why = "over " + policy.options.refreshRate() + " refreshes a second";
      session.refuse("refresh", frame.ref(), ErrorCode.RATE_LIMITED, why, null);
    } else {
      check(frame.ref(), new Credential.Token(frame.token()));
    }
  }

  private void check(long ref, Credential credential) {
    checking = true;
    CompletableFuture<Principal> check = policy.credentials.begin(credential);
    check.whenComplete((who, why) -> session.later(() -> onChecked(ref, check)));
  }

  private void onChecked(long ref, CompletableFuture<Principal> check) {
    checking = false;
    if (!session.isServed()) {
      return; // it has left meanwhile
    }
    try {
      refresh(ref, policy.credentials.end(check));
    } catch (AuthenticationFailure e) {
      refuse(ref, e.reason(), e.getMessage());
    }
    session.endIfNothingIsLeft();
  }

  private void refresh(long ref, Principal fresh) throws AuthenticationFailure {
    if (fresh.isSameAs(session.principal())) {
      session.grant(policy.access.permissions().grant(fresh));
      session.identify(fresh);
      policy.access.audit().refreshed(session.peer());
      session.send(policy.frames.refreshed(ref, fresh.expiresMs()));
      session.endForbidden();
    } else {
      refuse(ref, Reason.REFUSED, "the credential is that of another client");
    }
  }

  private void refuse(long ref, Reason reason, String why) {
    policy.metrics.authenticationFailed(reason.word());
    session.auditRefused("refresh", null, reason.word());
    // Not counted as the client's error: it may try again, as often as the refresh rate allows.
    session.send(session.refusal(ref, ErrorCode.UNAUTHORIZED, why, null));
  }
}
