package io.sluice.gateway.broker.queue;

import io.sluice.gateway.config.ServiceUrl;

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
        ServiceUrl.masked(cause.getMessage() == null ? cause.toString() : cause.getMessage());
    return text.length() > MAX ? text.substring(0, MAX) + "\u2026" : text;
  }
}
