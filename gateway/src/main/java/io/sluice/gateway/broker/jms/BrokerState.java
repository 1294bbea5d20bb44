package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.provider.Credentials;

/**
 * The state of the connection to the broker in words, for operators. Changed on the control thread,
 * read by any.
 */
final class BrokerState {
  /** A broker may put much into an error. */
  private static final int MOST_CHARACTERS = 300;

  private volatile String text = "not connected: connecting for the first time";

  /** An attempt to connect has failed. */
  void onUnreachable(Throwable cause) {
    text = "not connected: " + describe(cause);
  }

  /** Connected; so many of the interests stand. */
  void onOpening(int standing, int all) {
    text = "connected, " + standing + " of " + all + " topics stand";
  }

  /** Everything stands. */
  void onLive() {
    text = "connected";
  }

  /** The connection broke; the next attempt follows. */
  void onLost() {
    text = "not connected: the connection was lost";
  }

  // Some messages are a name only, such as that of a host that does not resolve.
  private static String describe(Throwable cause) {
    String message = cause.getMessage() == null ? "" : cause.getMessage().strip();
    String kind = cause.getClass().getSimpleName();
    String named = message.indexOf(' ') < 0 ? kind + " " + message : message;
    String line = Credentials.masked(named.strip()).replaceAll("\\s+", " ");
    return line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS) + "…";
  }

  @Override
  public String toString() {
    return text;
  }
}
