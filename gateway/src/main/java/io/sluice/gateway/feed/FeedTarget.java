package io.sluice.gateway.feed;

/**
 * The broker of a feed, and how it is spoken to. Immutable.
 *
 * @param url in the form that the provider takes
 * @param provider the JMS client
 * @param user empty: none
 * @param password of the user
 * @param persistent whether messages have the delivery mode PERSISTENT
 */
public record FeedTarget(
    String url, FeedProvider provider, String user, String password, boolean persistent) {
  /** Without a user, not persistent. */
  public static FeedTarget of(String url, FeedProvider provider) {
    return new FeedTarget(url, provider, "", "", false);
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return url + " (" + provider + ")";
  }
}
