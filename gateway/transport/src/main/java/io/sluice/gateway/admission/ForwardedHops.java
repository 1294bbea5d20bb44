package io.sluice.gateway.admission;

import io.sluice.gateway.config.AddressRange;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * Parser of the hops in an {@code X-Forwarded-For} or {@code Forwarded} header (RFC 7239), from the
 * last hop to the first. Bound to one request.
 *
 * <p>The header is read from its end, because only the parts added by the nearest proxies are
 * trusted. No earlier part can change how a later one is parsed.
 */
final class ForwardedHops {
  private static final String FOR = "for=";

  private final boolean pairs;
  private String rest;

  /**
   * @param pairs whether a hop is written as {@code for=address;by=...}
   * @param lines the values of all lines of the header
   */
  ForwardedHops(boolean pairs, List<String> lines) {
    this.pairs = pairs;
    this.rest = lines.isEmpty() ? null : String.join(",", lines);
  }

  /** Returns whether there is another hop. */
  boolean hasNext() {
    return rest != null;
  }

  /** Returns the address of the next hop; empty if it has none, such as an obfuscated hop. */
  Optional<InetAddress> next() {
    int comma = lastOutsideQuotes(rest, ',');
    String hop = rest.substring(comma + 1).strip();
    rest = comma < 0 ? null : rest.substring(0, comma);
    return pairs ? ofPairs(hop) : address(hop);
  }

  private static int lastOutsideQuotes(String text, char separator) {
    boolean quoted = false;
    for (int i = text.length() - 1; i >= 0; i--) {
      char c = text.charAt(i);
      quoted ^= c == '"' && !isEscaped(text, i);
      if (c == separator && !quoted) {
        return i;
      }
    }
    return -1;
  }

  // Clients control the content of quoted values, such as host.
  private static boolean isEscaped(String text, int index) {
    int first = index;
    while (first > 0 && text.charAt(first - 1) == '\\') {
      first--;
    }
    return (index - first) % 2 == 1;
  }

  private static Optional<InetAddress> ofPairs(String hop) {
    String left = hop;
    while (true) {
      int semicolon = lastOutsideQuotes(left, ';');
      String pair = left.substring(semicolon + 1).strip();
      if (pair.regionMatches(true, 0, FOR, 0, FOR.length())) {
        return address(unquoted(pair.substring(FOR.length())));
      }
      if (semicolon < 0) {
        return Optional.empty();
      }
      left = left.substring(0, semicolon);
    }
  }

  private static String unquoted(String text) {
    boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
    return quoted ? text.substring(1, text.length() - 1) : text;
  }

  /** Parses an address with an optional port: 192.0.2.1:80, 2001:db8::1, [2001:db8::1]:80. */
  private static Optional<InetAddress> address(String text) {
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      return end < 0 ? Optional.empty() : AddressRange.address(text.substring(1, end));
    }
    int colon = text.indexOf(':');
    boolean port = colon >= 0 && colon == text.lastIndexOf(':');
    return AddressRange.address(port ? text.substring(0, colon) : text);
  }
}
