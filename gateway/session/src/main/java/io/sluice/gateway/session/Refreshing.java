package io.sluice.gateway.session;

import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.websocket.CloseCode;
import java.util.concurrent.CompletableFuture;

/**
 * Credential refresh of an authenticated session, one at a time. Created with the first refresh.
 * Bound to the client's event loop.
 */
final class Refreshing implements SessionFeature.State {
  static final SessionFeature<Refreshing> FEATURE =
      SessionFeature.of(Refreshing.class, Refreshing::new)
          .on(ClientFrame.Refresh.class, Refreshing::onRefresh);

  /** Maximum refreshes per second. */
  private static final int RATE = 1;

  private static final int BURST = 5;

  private final Session session;
  private final SessionPolicy policy;
  private final TokenBucket bucket;
  private boolean checking;

  Refreshing(Session session) {
    this.session = session;
    this.policy = session.policy;
    this.bucket = new TokenBucket(RATE, BURST, System.nanoTime());
  }

  /** Returns whether no check is pending. */
  @Override
  public boolean isIdle() {
    return !checking;
  }

  void onRefresh(ClientFrame.Refresh frame) {
    if (checking) {
      String why = "an earlier refresh is still pending";
      session.refuse("refresh", frame.ref(), ErrorCode.RATE_LIMITED, why, null);
    } else if (!bucket.take(System.nanoTime())) {
      String why = "over " + RATE + " refreshes a second";
      session.refuse("refresh", frame.ref(), ErrorCode.RATE_LIMITED, why, null);
    } else {
      check(frame.ref(), new Credential.Token(frame.token()));
    }
  }

  private void check(long ref, Credential credential) {
    checking = true;
    CompletableFuture<Principal> check =
        policy.credentials.begin(credential, session.connection.address());
    check.whenComplete((principal, failure) -> session.later(() -> onChecked(ref, check)));
  }

  private void onChecked(long ref, CompletableFuture<Principal> check) {
    checking = false;
    if (!session.isActive()) {
      return; // the client has disconnected during the check
    }
    try {
      refresh(ref, policy.credentials.end(session.client.sessionId(), check));
    } catch (AuthenticationFailure e) {
      refuse(ref, e.reason(), e.getMessage());
    }
    session.closeIfComplete();
  }

  private void refresh(long ref, Principal fresh) throws AuthenticationFailure {
    if (fresh.isSameAs(session.client.principal())) {
      session.client.grant(policy.access.permissions().grant(fresh));
      session.client.identify(fresh);
      policy.access.audit().refreshed(session.client.peer());
      session.send(policy.frames.refreshed(ref, fresh.expiresMs()));
      session.endForbidden();
    } else {
      // Also ends the sessions of clients that repeat the refresh: they would keep the old subject.
      refuse(ref, Reason.REFUSED, "the credential belongs to another client");
      session.close(CloseCode.UNAUTHORIZED);
    }
  }

  /** Does nothing: the result of a pending check is discarded. */
  @Override
  public void close(boolean forGood) {}

  private void refuse(long ref, Reason reason, String why) {
    policy.metrics.authenticationFailed(reason.word());
    session.client.auditRefused("refresh", null, reason.word());
    // Not counted as a client error: retries are limited by the refresh rate.
    session.send(session.refusal(ref, ErrorCode.UNAUTHORIZED, why, null));
  }
}
