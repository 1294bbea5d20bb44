package io.sluice.gateway.config;

import io.netty.util.NetUtil;
import java.net.IDN;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Origin of web pages, in the form in which browsers send it in the {@code Origin} header: the
 * serialization of the URL and HTML standards. Immutable, for any thread.
 *
 * @param text the normalized text: lower case, without default port, IPv6 addresses in short form
 */
public record WebOrigin(String text) {
  /** Origin of sandboxed frames, {@code data:} URLs and, in most browsers, local files. */
  public static final WebOrigin NULL = new WebOrigin("null");

  /** Origin of local files in some browsers and web views. */
  public static final WebOrigin FILE = new WebOrigin("file://");

  /** Description of a valid origin, for messages. */
  static final String EXPECTED =
      "a scheme, a host and an optional port, such as https://app.example.com or"
          + " http://localhost:3000";

  private static final String ANY = "*";
  private static final String SCHEME_END = "://";
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*");
  private static final Map<String, String> DEFAULT_PORTS =
      Map.of("http", "80", "https", "443", "ftp", "21");

  /** Schemes of URLs whose pages have the origin null. */
  private static final Pattern OPAQUE =
      Pattern.compile("(?:data|about|blob|javascript):.*", Pattern.CASE_INSENSITIVE);

  /** Code points that the URL standard forbids in hosts of all schemes. */
  private static final Pattern FORBIDDEN = Pattern.compile("[\\x00-\\x20#/:<>?@\\[\\\\\\]^|\\x7f]");

  private static final Pattern PORT = Pattern.compile("(.*):([^:\\]]*)", Pattern.DOTALL);
  private static final Pattern DIGITS = Pattern.compile("\\d{1,9}");

  /** Hosts that browsers parse as an IPv4 address. */
  private static final Pattern NUMERIC =
      Pattern.compile("(?:.*\\.)?(?:\\d+|0[xX][0-9A-Fa-f]*)\\.?");

  private static final Pattern IPV4 =
      Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}");
  private static final Set<String> WEB_SOCKET = Set.of("ws", "wss");

  /**
   * Reason why a text is no origin.
   *
   * @param what the problem with the text, worded to follow the key
   * @param expected what to write instead
   */
  public record Problem(String what, String expected) {}

  /** Malformed origin, with the problem. */
  private static final class Malformed extends Exception {
    private static final long serialVersionUID = 1;
    private final transient Problem problem;

    Malformed(String text, String what, String expected) {
      super(what, null, false, false);
      problem = new Problem(ValueText.quote(text) + " " + what, expected);
    }
  }

  /** Returns the problem of a configured origin, if browsers never send it. */
  public static Optional<Problem> problem(String text) {
    try {
      parse(text);
      return Optional.empty();
    } catch (Malformed malformed) {
      return Optional.of(malformed.problem);
    }
  }

  /** Returns the normalized texts of configured origins. */
  public static List<String> normalized(List<String> origins) {
    return origins.stream().map(origin -> of(origin).text()).toList();
  }

  /** Returns a configured origin as browsers send it; a malformed one unchanged. */
  public static WebOrigin of(String text) {
    try {
      return parse(text);
    } catch (Malformed malformed) {
      return new WebOrigin(text);
    }
  }

  /**
   * Returns whether pages of this origin are loaded without encryption over a network, where an
   * attacker can change them.
   */
  public boolean isUnencrypted() {
    String prefix = "http" + SCHEME_END;
    if (!text.startsWith(prefix)) {
      return false;
    }
    Matcher port = PORT.matcher(text.substring(prefix.length()));
    String host = port.matches() ? port.group(1) : text.substring(prefix.length());
    return !AddressRange.isLoopback(host) && !host.endsWith(".localhost");
  }

  private static WebOrigin parse(String text) throws Malformed {
    if (text.equals(NULL.text)) {
      return NULL;
    }
    if (text.equalsIgnoreCase(NULL.text) || OPAQUE.matcher(text).matches()) {
      throw new Malformed(text, "is not an origin that browsers send", NULL.text);
    }
    if (!text.equals(text.strip())) {
      throw new Malformed(text, "begins or ends with white space", text.strip());
    }
    int end = text.indexOf(SCHEME_END);
    if (end < 0) {
      throw new Malformed(
          text,
          "is not an origin: it has no scheme",
          isHostLike(text) ? "https://" + text + " or http://" + text : EXPECTED);
    }
    String scheme = text.substring(0, end).toLowerCase(Locale.ROOT);
    if (!SCHEME.matcher(scheme).matches()) {
      throw new Malformed(text, "is not an origin: its scheme is malformed", EXPECTED);
    }
    return parse(text, scheme, text.substring(end + SCHEME_END.length()));
  }

  private static boolean isHostLike(String text) {
    return !text.isEmpty()
        && text.chars().allMatch(c -> c > ' ' && c < 0x7F && "/*,@".indexOf(c) < 0);
  }

  private static WebOrigin parse(String text, String scheme, String authority) throws Malformed {
    String begin = scheme + SCHEME_END;
    checkMistakes(text, begin, authority);
    if (WEB_SOCKET.contains(scheme)) {
      String page = (scheme.equals("ws") ? "http" : "https") + SCHEME_END + authority;
      throw new Malformed(text, "is the address of a WebSocket", "the origin of the page: " + page);
    }
    if (scheme.equals("file")) {
      if (!authority.isEmpty()) {
        throw new Malformed(text, "is not an origin that browsers send", FILE.text);
      }
      return FILE;
    }
    Matcher split = PORT.matcher(authority);
    boolean hasPort = split.matches();
    String host = host(text, scheme, hasPort ? split.group(1) : authority);
    String port = hasPort ? port(text, begin + host, split.group(2)) : "";
    return new WebOrigin(
        begin
            + (port.isEmpty() || port.equals(DEFAULT_PORTS.get(scheme))
                ? host
                : host + ":" + port));
  }

  /** Rejects texts that are more than an origin. */
  private static void checkMistakes(String text, String begin, String authority) throws Malformed {
    if (authority.indexOf(',') >= 0) {
      throw new Malformed(text, "contains a comma", "one origin for each element of the list");
    }
    for (int i = 0; i < authority.length(); i++) {
      if ("/?#\\".indexOf(authority.charAt(i)) >= 0) {
        boolean slash = i == authority.length() - 1 && authority.charAt(i) == '/';
        throw new Malformed(
            text,
            "is not an origin: it "
                + (slash ? "ends with a slash" : "contains more than scheme, host and port"),
            begin + authority.substring(0, i));
      }
    }
    int user = authority.lastIndexOf('@');
    if (user >= 0) {
      // Not quoted: it may contain a password.
      throw new Malformed(
          "…" + authority.substring(user),
          "contains a user name",
          begin + authority.substring(user + 1));
    }
    if (authority.indexOf('*') >= 0) {
      throw new Malformed(
          text, "contains a wildcard", "each origin by name, or * alone for any origin");
    }
  }

  private static String host(String text, String scheme, String host) throws Malformed {
    boolean special = DEFAULT_PORTS.containsKey(scheme);
    if (host.isEmpty()) {
      if (special) {
        throw new Malformed(text, "is not an origin: it has no host", EXPECTED);
      }
      return host;
    }
    if (host.startsWith("[")) {
      return ipv6(text, host);
    }
    if (FORBIDDEN.matcher(host).find() || special && host.indexOf('%') >= 0) {
      throw new Malformed(
          text, "is not an origin: its host has a character that is not allowed", EXPECTED);
    }
    String lower = host.toLowerCase(Locale.ROOT);
    if (!lower.chars().allMatch(c -> c < 0x80)) {
      throw new Malformed(
          text, "has characters that browsers encode", scheme + SCHEME_END + encoded(host));
    }
    if (special && NUMERIC.matcher(lower).matches() && !IPV4.matcher(lower).matches()) {
      throw new Malformed(
          text, "has a number as its host", "an IPv4 address of four decimal numbers");
    }
    return lower;
  }

  private static String encoded(String host) {
    try {
      return IDN.toASCII(host, IDN.ALLOW_UNASSIGNED).toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException notEncodable) {
      return "the encoded host (xn--…)";
    }
  }

  private static String ipv6(String text, String host) throws Malformed {
    String address = host.endsWith("]") ? host.substring(1, host.length() - 1) : "";
    byte[] bytes =
        address.indexOf('%') < 0 && address.indexOf(':') >= 0
            ? NetUtil.createByteArrayFromIpAddressString(address)
            : null;
    if (bytes == null) {
      throw new Malformed(
          text,
          "has no valid IPv6 address as its host",
          "an address such as http://[2001:db8::1]:8080");
    }
    return '[' + shortened(bytes) + ']';
  }

  /** Returns an IPv6 address in the form of the URL standard. */
  private static String shortened(byte[] bytes) {
    int[] pieces = new int[8];
    for (int i = 0; i < pieces.length; i++) {
      pieces[i] = (bytes[2 * i] & 0xFF) << 8 | bytes[2 * i + 1] & 0xFF;
    }
    int best = 0;
    int length = 1; // a single zero is not shortened
    for (int i = 0; i < pieces.length; i++) {
      int end = i;
      while (end < pieces.length && pieces[end] == 0) {
        end++;
      }
      if (end - i > length) {
        best = i;
        length = end - i;
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < pieces.length; i++) {
      if (length > 1 && i == best) {
        text.append(i == 0 ? "::" : ":");
        i += length - 1;
      } else {
        text.append(Integer.toHexString(pieces[i])).append(i == pieces.length - 1 ? "" : ":");
      }
    }
    return text.toString();
  }

  private static String port(String text, String before, String port) throws Malformed {
    int number = DIGITS.matcher(port).matches() ? Integer.parseInt(port) : -1;
    if (number < 0 || number > 65_535) {
      throw new Malformed(
          text,
          port.isEmpty() ? "ends with a colon" : "has a port that is not allowed",
          port.isEmpty() ? before : "a port from 0 to 65535");
    }
    return String.valueOf(number);
  }

  /** Returns whether a configured text allows any origin. */
  public static boolean isAny(String text) {
    return text.equals(ANY);
  }

  @Override
  public String toString() {
    return text;
  }
}
