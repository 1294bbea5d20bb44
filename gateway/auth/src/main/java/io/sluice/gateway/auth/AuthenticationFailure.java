package io.sluice.gateway.auth;

import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Failed check of a credential. The message is sent to the client and contains no part of the
 * secret. Immutable.
 */
public final class AuthenticationFailure extends Exception {
  private static final long serialVersionUID = 1;

  private final Reason reason;
  private final transient Principal owner;

  /** Stable reason of a failure, for metrics, the audit log and the close code. */
  public enum Reason {
    /** No credential was sent, and one is required. */
    MISSING,
    /** The credential has a format that this node cannot read. */
    MALFORMED,
    /** The credential has expired. */
    EXPIRED,
    /** An operator has revoked the credential. */
    REVOKED,
    /**
     * The credential belongs to another client or service, has an invalid signature, or grants more
     * than the node's limits allow.
     */
    REFUSED,
    /** The credential could not be checked now. The client may retry. */
    UNAVAILABLE;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the word in metrics and the audit log. */
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
   * Creates a failure of a credential whose owner is verified.
   *
   * @param owner principal of the credential
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

  /** Returns the credential's owner without claims; {@link Principal#ANONYMOUS} if unknown. */
  public Principal owner() {
    return owner;
  }

  /** Returns a stage that has failed. */
  static <T> CompletionStage<T> stage(Reason reason, String message) {
    return CompletableFuture.failedFuture(new AuthenticationFailure(reason, message));
  }

  /** Returns the cause of a stage's failure, without the exception that futures wrap around it. */
  public static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
