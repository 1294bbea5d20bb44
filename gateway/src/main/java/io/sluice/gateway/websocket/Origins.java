package io.sluice.gateway.websocket;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Origin check: pages of the node's own host and of the listed origins may connect. For any thread.
 */
public final class Origins {
  private static final String SECURE = "https://";
  private static final String SCHEME_END = "://";

  private final boolean onlySecure;
  private volatile List<String> allowed;

  /**
   * @param allowed origins as browsers send them; {@code *} allows any
   * @param onlySecure whether pages of the node's own host must be loaded by TLS
   */
  public Origins(List<String> allowed, boolean onlySecure) {
    this.allowed = List.copyOf(allowed);
    this.onlySecure = onlySecure;
  }

  /** Replaces the listed origins, for later handshakes. */
  public void replace(List<String> origins) {
    allowed = List.copyOf(origins);
  }

  /**
   * Returns whether the origin of a request is allowed. A request without one is allowed: clients
   * other than browsers send none, and could send any.
   *
   * @param headers the values of all lines of a header, by its name in any case
   */
  public boolean allow(Function<String, List<String>> headers) {
    List<String> sent = headers.apply("Origin");
    if (sent.isEmpty()) {
      return true;
    }
    String origin = sent.get(0).strip();
    List<String> listed = allowed;
    return sent.size() == 1
        && (listed.contains("*")
            ? isPlain(origin)
            : listed.stream().anyMatch(origin::equalsIgnoreCase)
                || isOwn(origin, headers.apply("Host")));
  }

  /**
   * Returns whether an origin is listed by name. Only its pages may use the browser's credentials,
   * not those of an origin that only {@code *} allows.
   *
   * @param sent an Origin header that {@link #allow} accepts
   */
  public boolean isNamed(String sent) {
    String origin = sent.strip();
    return !origin.equals("*") && allowed.stream().anyMatch(origin::equalsIgnoreCase);
  }

  private boolean isOwn(String origin, List<String> host) {
    int end = origin.indexOf(SCHEME_END);
    return end > 0
        && host.size() == 1
        && isPlain(origin)
        && (!onlySecure || origin.regionMatches(true, 0, SECURE, 0, SECURE.length()))
        && isSame(
            origin.substring(end + SCHEME_END.length()),
            host.get(0).strip(),
            origin.regionMatches(true, 0, SECURE, 0, SECURE.length()) ? ":443" : ":80");
  }

  // A browser omits the default port of the origin's scheme, a proxy may add it.
  private static boolean isSame(String authority, String host, String defaultPort) {
    return withoutPort(authority, defaultPort).equals(withoutPort(host, defaultPort));
  }

  private static String withoutPort(String authority, String port) {
    String lower = authority.toLowerCase(Locale.ROOT);
    return lower.endsWith(port) ? lower.substring(0, lower.length() - port.length()) : lower;
  }

  // Browsers send no other characters, and an allowed origin is repeated in a response.
  private static boolean isPlain(String origin) {
    return origin.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }
}
