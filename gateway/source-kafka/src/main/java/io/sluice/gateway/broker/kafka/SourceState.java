package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.config.ServiceUrl;

/** State of the connection to the cluster, as a text for operators. Any thread. */
final class SourceState {
  /** Maximum length of a cause, because a broker may send a long error. */
  private static final int MAX_CHARACTERS = 300;

  private static final int MAX_CAUSES = 10;

  private volatile String text = "not connected: connecting for the first time";

  /** Records that all interests are active. */
  void onLive() {
    text = "connected";
  }

  /** Records that the node is connected and has opened some of all interests. */
  void onOpening(int active, int all) {
    text = "connected, " + active + " of " + all + " topics active";
  }

  /** Records that the cluster does not respond; returns the cause in words. */
  String onUnreachable(Throwable failure) {
    String cause = describe(failure);
    text = "not connected: " + cause;
    return cause;
  }

  /** Records that the cluster was lost. */
  void onLost() {
    text = "not connected: the connection was lost";
  }

  /** Returns a failure of the client in one line, without passwords. */
  static String describe(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; depth < MAX_CAUSES && cause.getCause() != null; depth++) {
      cause = cause.getCause();
    }
    String message = cause.getMessage() == null ? "" : cause.getMessage().strip();
    String kind = cause.getClass().getSimpleName();
    String named = message.indexOf(' ') < 0 ? kind + " " + message : message;
    String line = ServiceUrl.masked(named.strip()).replaceAll("\\s+", " ");
    return line.length() <= MAX_CHARACTERS ? line : line.substring(0, MAX_CHARACTERS) + "…";
  }

  @Override
  public String toString() {
    return text;
  }
}
