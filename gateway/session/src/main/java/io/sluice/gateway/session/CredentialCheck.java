package io.sluice.gateway.session;

import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.Authentication;
import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.websocket.CloseCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Check of the credentials that sessions receive. For any thread. */
final class CredentialCheck {
  private static final Logger log = LoggerFactory.getLogger(CredentialCheck.class);

  private final Access access;

  CredentialCheck(Access access) {
    this.access = access;
  }

  /**
   * Starts a check; the future may be completed already.
   *
   * @param credential null if the client sent none
   * @param address the client's
   */
  CompletableFuture<Principal> begin(Credential credential, String address) {
    return access
        .authentication()
        .authenticate(credential, AddressRange.network(address))
        .toCompletableFuture();
  }

  /**
   * Returns the principal of a completed check, if the credential is still valid.
   *
   * @param session id of the client's session; empty if it is not open yet
   */
  Principal end(String session, CompletableFuture<Principal> check) throws AuthenticationFailure {
    try {
      return requireValid(check.join());
    } catch (CompletionException e) {
      throw failure(session, e.getCause());
    }
  }

  // The check may have completed some time ago, and a revocation that iterates over all sessions
  // has not reached this one yet.
  private Principal requireValid(Principal checked) throws AuthenticationFailure {
    if (System.currentTimeMillis() >= checked.expiresMs()) {
      throw new AuthenticationFailure(Reason.EXPIRED, "the credential has expired", checked);
    }
    if (access.revocations().isRevoked(checked)) {
      throw Authentication.revoked(checked);
    }
    return checked;
  }

  /**
   * Returns the failure; any other exception is a bug, whose details are not sent to the client.
   */
  private static AuthenticationFailure failure(String session, Throwable cause) {
    if (cause instanceof AuthenticationFailure failure) {
      return failure;
    }
    log.atError().addKeyValue("session", session).setCause(cause).log("auth.bug");
    return new AuthenticationFailure(Reason.UNAVAILABLE, "the credential could not be checked");
  }

  /** Returns the close code of a client that was not authenticated. */
  static CloseCode closeCode(Reason reason) {
    return switch (reason) {
      case EXPIRED -> CloseCode.EXPIRED;
      case REVOKED -> CloseCode.REVOKED;
      case UNAVAILABLE -> CloseCode.NOT_VERIFIED;
      default -> CloseCode.UNAUTHORIZED;
    };
  }
}
