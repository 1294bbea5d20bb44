package io.sluice.loadtest.load;

import java.net.URI;

/**
 * WebSocket address of a gateway. Immutable, for any thread.
 *
 * @param host a name or an address; one of IPv6 in brackets
 * @param path with the query, if there is one
 */
public record GatewayUrl(String host, int port, String path, boolean tls) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /**
   * Reads {@code ws://host:port/path} or {@code wss://…}.
   *
   * @throws IllegalArgumentException if it is anything else; the message says what is right
   */
  public static GatewayUrl parse(String url) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw wrong(url, e);
    }
    boolean tls = "wss".equalsIgnoreCase(uri.getScheme());
    if (uri.getHost() == null || !(tls || "ws".equalsIgnoreCase(uri.getScheme()))) {
      throw wrong(url, null);
    }
    int usual = tls ? HTTPS : HTTP;
    return new GatewayUrl(uri.getHost(), uri.getPort() < 0 ? usual : uri.getPort(), path(uri), tls);
  }

  private static String path(URI uri) {
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
  }

  private static IllegalArgumentException wrong(String url, Throwable cause) {
    return new IllegalArgumentException(
        "'" + url + "' is no address like ws://localhost:8080/ws", cause);
  }

  /** Host and port, as people and HTTP write them. */
  String authority() {
    return host + ":" + port;
  }
}
