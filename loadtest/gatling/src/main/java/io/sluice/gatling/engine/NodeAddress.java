package io.sluice.gatling.engine;

import java.net.URI;

/**
 * Address of a node.
 *
 * @param path path and query
 */
public record NodeAddress(boolean isTls, String host, int port, String path) {
  /**
   * Parses a URL.
   *
   * @throws IllegalArgumentException if it is not a URL of a WebSocket
   */
  public static NodeAddress parse(String url) {
    URI uri = uri(url);
    boolean isTls = "wss".equalsIgnoreCase(uri.getScheme());
    boolean isPlain = "ws".equalsIgnoreCase(uri.getScheme());
    if (!isTls && !isPlain || uri.getHost() == null || uri.getRawFragment() != null) {
      throw invalid(url);
    }
    int port = uri.getPort() >= 0 ? uri.getPort() : isTls ? 443 : 80;
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return new NodeAddress(isTls, uri.getHost(), port, path + query);
  }

  private static URI uri(String url) {
    try {
      return URI.create(url);
    } catch (IllegalArgumentException e) {
      throw invalid(url);
    }
  }

  private static IllegalArgumentException invalid(String url) {
    return new IllegalArgumentException(
        "URL must be like wss://example.com/ws, without a fragment, not \"" + url + "\"");
  }

  /** Returns the URL. */
  URI uri() {
    String address = host + ":" + port + path;
    return URI.create((isTls ? "wss://" : "ws://") + address);
  }
}
