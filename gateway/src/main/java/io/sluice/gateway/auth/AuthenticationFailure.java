package io.sluice.gateway.auth;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A credential was not accepted. The message is for the client and holds nothing of the secret. */
public final class AuthenticationFailure extends Exception {
  private static final long serialVersionUID = 1;

  private final Reason reason;
  private final transient Principal owner;

  /** Why, in words that stay: for metrics, the audit log and what the client does next. */
  public enum Reason {
    /** Nothing was shown, and nobody is let in without. */
    MISSING("missing"),
    /** It is not of a form that this node reads. */
    MALFORMED("malformed"),
    /** Its time is over. */
    EXPIRED("expired"),
    /** An operator has withdrawn it. */
    REVOKED("revoked"),
    /**
     * It is another one's, for another service, not signed as it should be, or claims more than the
     * node's limits allow.
     */
    REFUSED("refused"),
    /** Nobody could be asked whether it is valid. The client may come again. */
    UNAVAILABLE("unavailable");

    private final String word;

    Reason(String word) {
      this.word = word;
    }

    /** The word in metrics and the audit log. */
    public String word() {
      return word;
    }
  }

  public AuthenticationFailure(Reason reason, String message) {
    this(reason, message, Principal.ANONYMOUS);
  }

  public AuthenticationFailure(Reason reason, String message, Throwable cause) {
    this(reason, message, cause, Principal.ANONYMOUS);
  }

  /**
   * A credential that is somebody's beyond doubt, and good for nothing all the same.
   *
   * @param owner whose it is
   */
  public AuthenticationFailure(Reason reason, String message, Principal owner) {
    this(reason, message, null, owner);
  }

  private AuthenticationFailure(Reason reason, String message, Throwable cause, Principal owner) {
    super(message, cause);
    this.reason = reason;
    this.owner = owner.withoutClaims();
  }

  public Reason reason() {
    return reason;
  }

  /** Whose the credential is, without claims; {@link Principal#ANONYMOUS} if nobody knows. */
  public Principal owner() {
    return owner;
  }

  /** Returns a stage that has failed. */
  static <T> CompletionStage<T> stage(Reason reason, String message) {
    return CompletableFuture.failedFuture(new AuthenticationFailure(reason, message));
  }

  /** Returns the cause of a stage's failure, without the exception that futures wrap around it. */
  static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
