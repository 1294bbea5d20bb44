package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.provider.Credentials;

/** Text of a broker's failure for clients. Stateless, for any thread. */
final class Explanation {
  /** Largest number of characters that a client receives. */
  private static final int MAX = 500;

  private Explanation() {}

  static String of(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String text =
        Credentials.masked(cause.getMessage() == null ? cause.toString() : cause.getMessage());
    return text.length() > MAX ? text.substring(0, MAX) + "\u2026" : text;
  }
}
