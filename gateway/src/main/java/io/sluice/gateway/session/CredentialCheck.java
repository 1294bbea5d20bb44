package io.sluice.gateway.session;

import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.Authentication;
import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.protocol.CloseCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How sessions find out whose a credential is. For any thread. */
final class CredentialCheck {
  private static final Logger log = LoggerFactory.getLogger(CredentialCheck.class);

  private final Access access;

  CredentialCheck(Access access) {
    this.access = access;
  }

  /**
   * Begins a check; it has ended already if nobody has to be asked.
   *
   * @param credential null if none was shown
   */
  CompletableFuture<Principal> begin(Credential credential) {
    return access.authentication().authenticate(credential).toCompletableFuture();
  }

  /** Whose the credential is, once the check has ended, if it is still good. */
  Principal end(CompletableFuture<Principal> check) throws AuthenticationFailure {
    try {
      return stillGood(check.join());
    } catch (CompletionException e) {
      throw failure(e.getCause());
    }
  }

  // The check may have ended a while ago, and those who walk over all sessions to withdraw a
  // credential have not met this one yet.
  private Principal stillGood(Principal checked) throws AuthenticationFailure {
    if (System.currentTimeMillis() >= checked.expiresMs()) {
      throw new AuthenticationFailure(Reason.EXPIRED, "the credential has ended", checked);
    }
    if (access.revocations().isRevoked(checked)) {
      throw Authentication.revoked(checked);
    }
    return checked;
  }

  /** Whatever else went wrong is a bug, and not told. */
  private static AuthenticationFailure failure(Throwable cause) {
    if (cause instanceof AuthenticationFailure failure) {
      return failure;
    }
    log.atError().setCause(cause).log("auth.bug");
    return new AuthenticationFailure(Reason.UNAVAILABLE, "the credential could not be checked");
  }

  /** How the session ends of a client that was not let in. */
  static CloseCode closeCode(Reason reason) {
    return switch (reason) {
      case EXPIRED -> CloseCode.EXPIRED;
      case REVOKED -> CloseCode.REVOKED;
      case UNAVAILABLE -> CloseCode.NOT_VERIFIED;
      default -> CloseCode.UNAUTHORIZED;
    };
  }
}
