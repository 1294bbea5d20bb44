package io.sluice.gateway.handshake;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Origin check: pages of the node's own host and of the listed origins may connect. For any thread.
 */
public final class Origins {
  private static final String SECURE = "https://";
  private static final String PLAIN = "http://";

  /** Texts that pages of many sites match: any, sandboxed frames, local files. */
  private static final Set<String> SHARED = Set.of("*", "null", "file://");

  /** Scheme of a proxy's client in the header {@code Forwarded} (RFC 7239). */
  private static final Pattern FORWARDED_TLS =
      Pattern.compile("(^|.*[;,\\s])proto=\"?https\"?($|[;,\\s].*)", Pattern.CASE_INSENSITIVE);

  private static final Pattern TLS =
      Pattern.compile("(^|.*[,\\s])(https|wss)($|[,\\s].*)", Pattern.CASE_INSENSITIVE);

  private final boolean onlySecure;
  private volatile List<String> allowed;

  /**
   * @param allowed normalized origins; {@code *} allows any
   * @param onlySecure whether pages of the node's own host must be loaded by TLS
   */
  public Origins(List<String> allowed, boolean onlySecure) {
    this.allowed = List.copyOf(allowed);
    this.onlySecure = onlySecure;
  }

  /** Replaces the listed origins, which are normalized, for later handshakes. */
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
                || isOwn(origin, headers.apply("Host"), onlySecure || isTls(headers)));
  }

  // Trusted from any sender: the header only forbids origins, and pages cannot set it.
  private static boolean isTls(Function<String, List<String>> headers) {
    return headers.apply("X-Forwarded-Proto").stream().anyMatch(TLS.asMatchPredicate())
        || headers.apply("Forwarded").stream().anyMatch(FORWARDED_TLS.asMatchPredicate());
  }

  /**
   * Returns whether an origin is listed by name. Only its pages may use the browser's credentials,
   * not those of an origin that only {@code *} allows. Origins that pages of many sites have are
   * never listed by name: {@code null} and {@code file://}.
   *
   * @param sent an Origin header that {@link #allow} accepts
   */
  public boolean isNamed(String sent) {
    String origin = sent.strip();
    return !SHARED.contains(origin) && allowed.stream().anyMatch(origin::equalsIgnoreCase);
  }

  /**
   * Returns the CORS headers of a refusal. Any page may read it, but only pages of an origin that
   * is listed by name if their request has credentials.
   *
   * @param sent the values of all Origin headers of the request
   */
  public Map<String, String> readable(List<String> sent) {
    return sent.size() == 1 && isNamed(sent.get(0)) ? named(sent.get(0)) : Refusal.READABLE;
  }

  /** Returns the CORS headers for an origin that is listed by name. */
  private static Map<String, String> named(String sent) {
    return Map.of(
        "Access-Control-Allow-Origin", sent.strip(),
        "Access-Control-Allow-Credentials", "true",
        "Access-Control-Expose-Headers", "Retry-After",
        "Vary", "Origin");
  }

  // Pages of the node's own host are loaded by HTTP; other schemes have no relation to it. If the
  // request used TLS, a page without it may come from an attacker in the network.
  private static boolean isOwn(String origin, List<String> host, boolean tls) {
    boolean secure = origin.regionMatches(true, 0, SECURE, 0, SECURE.length());
    boolean plain = !tls && origin.regionMatches(true, 0, PLAIN, 0, PLAIN.length());
    return (secure || plain)
        && host.size() == 1
        && isPlain(origin)
        && isSame(
            origin.substring(secure ? SECURE.length() : PLAIN.length()),
            host.get(0).strip(),
            secure ? ":443" : ":80");
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
