package io.sluice.gateway.config;

import java.net.URI;
import java.util.Set;

/** The rule for addresses at which a node asks about tokens. Stateless. */
public final class IssuerUrl {
  /** What a right one looks like. */
  static final String EXPECTED = "a URL such as https://id.example.com/keys";

  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

  private IssuerUrl() {}

  /**
   * Why nobody is asked at this address, or null. Whoever can change what an issuer says can let
   * anybody in, so it is https unless the way does not leave the machine.
   */
  public static String problem(String url, boolean plainHttpAllowed) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException malformed) {
      return ValueText.quote(BrokerUrl.masked(url)) + " is no URL";
    }
    if (uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
      return "has no host, or a user name or fragment beside it"; // the former with a secret
    }
    if ("https".equalsIgnoreCase(uri.getScheme())) {
      return null;
    }
    if (!"http".equalsIgnoreCase(uri.getScheme())) {
      return ValueText.quote(url) + " is not https";
    }
    return plainHttpAllowed || LOOPBACK.contains(uri.getHost())
        ? null
        : ValueText.quote(url) + " is not https, and auth.allow-plain-http is false";
  }
}
