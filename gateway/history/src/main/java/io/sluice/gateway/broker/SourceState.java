package io.sluice.gateway.broker;

import io.sluice.gateway.config.ServiceUrl;
import java.security.cert.CertificateException;

/** State of the connection to a source, as a text for operators. Any thread. */
public final class SourceState {
  /** Maximum length of a cause, because a source may send a long error. */
  private static final int MAX_CHARACTERS = 300;

  private static final int MAX_CAUSES = 10;

  private volatile String text = "not connected: connecting for the first time";

  /** Records that all interests are active. */
  public void onLive() {
    text = "connected";
  }

  /** Records that the node is connected and has opened some of all interests. */
  public void onOpening(long active, long all) {
    text = "connected, " + active + " of " + all + " topics active";
  }

  /** Records that an attempt to connect has failed; returns the cause in words. */
  public String onUnreachable(Throwable failure) {
    String cause = describe(failure);
    text = "not connected: " + cause;
    return cause;
  }

  /** Records another state. */
  public void on(String words) {
    text = words;
  }

  /** Records that the connection was lost. */
  public void onLost() {
    text = "not connected: the connection was lost";
  }

  /** Returns a failure of the client in one line, without passwords. */
  public static String describe(Throwable failure) {
    Throwable cause = rootCause(failure);
    // Some messages contain only a name, such as that of a host that does not resolve.
    String message = cause.getMessage() == null ? "" : cause.getMessage().strip();
    String kind = cause.getClass().getSimpleName();
    String named = message.indexOf(' ') < 0 ? kind + " " + message : message;
    String line = ServiceUrl.masked(named.strip()).replaceAll("\\s+", " ");
    String text = line.length() <= MAX_CHARACTERS ? line : line.substring(0, MAX_CHARACTERS) + "…";
    return text + hint(text);
  }

  // The client names neither the addresses nor the property.
  private static String hint(String text) {
    if (text.contains("waiting for a node assignment")) {
      return ": no address in kafka.servers responds, or only with another security.protocol than"
          + " that in kafka.properties";
    }
    return text.contains("java.security.auth.login.config")
        ? ": set sasl.jaas.config in kafka.properties"
        : "";
  }

  /**
   * Returns the deepest cause, because clients wrap it in exceptions without information. That of a
   * refused certificate is the {@link CertificateException}, which names the check.
   */
  public static Throwable rootCause(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; depth < MAX_CAUSES && !(cause instanceof CertificateException); depth++) {
      cause = cause.getCause() == null ? cause : cause.getCause();
    }
    return cause;
  }

  @Override
  public String toString() {
    return text;
  }
}
