package io.sluice.loadtest.load;

import java.net.URI;

/**
 * Address of a gateway's clients. Immutable, for any thread.
 *
 * @param host a name or an address; IPv6 addresses in brackets
 * @param path with the query, if any
 */
public record GatewayUrl(String host, int port, String path, boolean tls) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /**
   * Parses {@code ws://host:port/path} or {@code wss://…}.
   *
   * @throws IllegalArgumentException for any other form; the message names the required form
   */
  public static GatewayUrl parse(String url) {
    return parse(url, "ws", "a WebSocket URL such as ws://localhost:8080/ws");
  }

  /**
   * Parses {@code http://host:port/path} or {@code https://…}.
   *
   * @throws IllegalArgumentException for any other form; the message names the required form
   */
  public static GatewayUrl parseHttp(String url) {
    return parse(url, "http", "a URL such as http://localhost:8080/topics");
  }

  private static GatewayUrl parse(String url, String scheme, String form) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw invalid(url, form, e);
    }
    boolean tls = (scheme + "s").equalsIgnoreCase(uri.getScheme());
    if (uri.getHost() == null || !(tls || scheme.equalsIgnoreCase(uri.getScheme()))) {
      throw invalid(url, form, null);
    }
    int defaultPort = tls ? HTTPS : HTTP;
    return new GatewayUrl(
        uri.getHost(), uri.getPort() < 0 ? defaultPort : uri.getPort(), path(uri), tls);
  }

  private static String path(URI uri) {
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
  }

  private static IllegalArgumentException invalid(String url, String form, Throwable cause) {
    return new IllegalArgumentException("'" + url + "' is not " + form, cause);
  }

  /** Returns the authority component: host and port. */
  String authority() {
    return host + ":" + port;
  }
}
