package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.provider.Credentials;

/**
 * State of the connection to the broker, as a text for operators. Changed on the control thread,
 * read by any thread.
 */
final class BrokerState {
  /** Maximum length of a cause, because a broker may send a long error. */
  private static final int MAX_CHARACTERS = 300;

  private volatile String text = "not connected: connecting for the first time";

  /** Records that an attempt to connect has failed. */
  void onUnreachable(Throwable cause) {
    text = "not connected: " + describe(cause);
  }

  /** Records that the node is connected and has opened some of all interests. */
  void onOpening(int active, int all) {
    text = "connected, " + active + " of " + all + " topics active";
  }

  /** Records that all interests are active. */
  void onLive() {
    text = "connected";
  }

  /** Records that the connection was lost. */
  void onLost() {
    text = "not connected: the connection was lost";
  }

  // Some messages contain only a name, such as that of a host that does not resolve.
  private static String describe(Throwable cause) {
    String message = cause.getMessage() == null ? "" : cause.getMessage().strip();
    String kind = cause.getClass().getSimpleName();
    String named = message.indexOf(' ') < 0 ? kind + " " + message : message;
    String line = Credentials.masked(named.strip()).replaceAll("\\s+", " ");
    return line.length() <= MAX_CHARACTERS ? line : line.substring(0, MAX_CHARACTERS) + "…";
  }

  @Override
  public String toString() {
    return text;
  }
}
