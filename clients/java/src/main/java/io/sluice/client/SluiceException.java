package io.sluice.client;

/**
 * Failure of a call, a subscription, a consumer or the client. {@link #code} is stable; the message
 * is for people.
 *
 * <p>Codes of the node are those of the protocol, such as {@code forbidden}. Codes of the client:
 *
 * <ul>
 *   <li>{@code closed}: the client is closed.
 *   <li>{@code refused}: the node closed with a code that forbids a reconnect.
 *   <li>{@code connection-lost}: the connection ended before the answer; the outcome is unknown.
 *   <li>{@code publish-queue-full}: too many publishes are unanswered; the message was not sent.
 *   <li>{@code publish-timeout}: no answer in time; the message states whether it had been sent.
 *   <li>{@code bad-answer}: the node sent an invalid frame; the message names its member.
 *   <li>{@code no-token}: the supplier of tokens failed.
 *   <li>{@code logged-out}: the supplier of tokens threw {@link LoggedOutException}; the client is
 *       closed.
 *   <li>{@code identity-changed}: the credential has another subject than before; the client is
 *       closed.
 *   <li>{@code handler-failed}: a listener or handler of the application has thrown.
 * </ul>
 */
public final class SluiceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final String LOGGED_OUT = "logged-out";
  static final String IDENTITY_CHANGED = "identity-changed";

  private final String code;

  SluiceException(String code, String message) {
    this(code, message, null);
  }

  SluiceException(String code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** Returns whether there is no next attempt after this error of the credential. */
  boolean endsClient() {
    return code.equals(LOGGED_OUT) || code.equals(IDENTITY_CHANGED);
  }

  /** Returns the code. */
  public String code() {
    return code;
  }
}
