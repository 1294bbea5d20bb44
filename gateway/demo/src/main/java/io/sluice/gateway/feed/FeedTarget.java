package io.sluice.gateway.feed;

/**
 * Broker of a feed, and parameters of the connection. Immutable, for any thread.
 *
 * @param url URL in the provider's syntax
 * @param provider JMS client library
 * @param user user name; empty for none
 * @param password password of the user
 * @param persistent whether messages have the delivery mode PERSISTENT
 */
public record FeedTarget(
    String url, FeedProvider provider, String user, String password, boolean persistent) {
  /** Returns a target without a user and for non-persistent messages. */
  public static FeedTarget of(String url, FeedProvider provider) {
    return new FeedTarget(url, provider, "", "", false);
  }

  /** Returns a text without the password. */
  @Override
  public String toString() {
    return url + " (" + provider + ")";
  }
}
