package io.sluice.gateway.admission;

import io.sluice.gateway.config.AddressRange;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * The hops that a header names, {@code X-Forwarded-For} or {@code Forwarded} (RFC 7239), from the
 * last one to the first. Bound to one request.
 *
 * <p>It is read from its end, because only what the nearest proxies have added is to be trusted:
 * nothing that stands before it can change how it is read.
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

  /** Whether there is one more. */
  boolean hasNext() {
    return rest != null;
  }

  /** The next one's address; empty if it is none, such as a hidden one. */
  Optional<InetAddress> next() {
    int comma = lastOutsideQuotes(rest, ',');
    String hop = rest.substring(comma + 1).strip();
    rest = comma < 0 ? null : rest.substring(0, comma);
    return pairs ? ofPairs(hop) : address(hop);
  }

  private static int lastOutsideQuotes(String text, char wanted) {
    boolean quoted = false;
    for (int i = text.length() - 1; i >= 0; i--) {
      char c = text.charAt(i);
      quoted ^= c == '"' && !isEscaped(text, i);
      if (c == wanted && !quoted) {
        return i;
      }
    }
    return -1;
  }

  // Clients may choose what stands inside of quotes, such as host.
  private static boolean isEscaped(String text, int at) {
    int first = at;
    while (first > 0 && text.charAt(first - 1) == '\\') {
      first--;
    }
    return (at - first) % 2 == 1;
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

  /** An address, perhaps with a port: 192.0.2.1:80, 2001:db8::1, [2001:db8::1]:80. */
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
