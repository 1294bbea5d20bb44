package io.sluice.gateway.config;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Syntax checks for the URLs of brokers and token issuers. Stateless, for any thread. JMS clients
 * report invalid URLs only when they connect, and less clearly.
 */
public final class ServiceUrl {
  private static final String AMQP = "amqp";

  private static final Map<String, Set<String>> SCHEMES =
      Map.of(
          "artemis",
          Set.of("tcp", "udp", "jgroups", "vm"),
          "classic",
          Set.of(
              "tcp",
              "ssl",
              "nio",
              "nio+ssl",
              "auto",
              "auto+ssl",
              "auto+nio",
              "auto+nio+ssl",
              "http",
              "https",
              "ws",
              "wss",
              "udp",
              "vm",
              "failover",
              "static",
              "discovery",
              "fanout",
              "multicast",
              "masterslave",
              "peer"),
          AMQP,
          Set.of(AMQP, "amqps", "amqpws", "amqpwss", "failover"));

  /** Scheme of a URL or, in parentheses, of the first URL of a list. */
  private static final Pattern SCHEME = Pattern.compile("\\(?([a-z][a-z+]*):.+", Pattern.DOTALL);

  /** Address of a scheme that requires a port, or an AMQP scheme without address. */
  private static final Pattern ADDRESS =
      Pattern.compile(
          "(?<![\\w+.@/-])(?:(?:tcp|ssl|nio|auto)(?:\\+[a-z]+)*:(/*[^/?,()#\\s]*)"
              + "|amqp(?:s|ws|wss)?:(?!//[^/])/*)");

  private static final Pattern HOST_AND_PORT = Pattern.compile("//([^:/]+|\\[[^]]+]):\\d{1,5}");

  private static final Pattern WITH_SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:/.*");
  private static final Pattern USER_INFO = Pattern.compile("//[^/@\\s]*@");
  private static final Pattern PASSWORD = Pattern.compile("(?i)(passw[^=&;,)]*=)[^&;,)\\s]*");

  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

  private ServiceUrl() {}

  /** Returns a text with the user info and passwords of URLs replaced, for logs and messages. */
  public static String masked(String text) {
    String withoutUser = USER_INFO.matcher(String.valueOf(text)).replaceAll("//***@");
    return PASSWORD.matcher(withoutUser).replaceAll("$1***");
  }

  /** Returns the description of a provider's broker URL, for messages. */
  public static String brokerExpected(String provider) {
    return provider.equals(AMQP)
        ? "a URL such as amqp://broker.example.com"
        : "a URL such as tcp://broker.example.com:61616";
  }

  /**
   * Returns the problem of a broker URL, if any. Empty URLs and those of other providers are not
   * checked.
   *
   * @param provider the value of {@code broker.provider}
   */
  public static Optional<String> brokerProblem(String provider, String url) {
    Set<String> schemes = SCHEMES.get(provider);
    if (schemes == null || url.isBlank()) {
      return Optional.empty();
    }
    Matcher scheme = SCHEME.matcher(url);
    if (!scheme.matches() || !schemes.contains(scheme.group(1))) {
      return Optional.of(ValueText.quote(masked(withoutQuery(url))) + " is not a broker URL");
    }
    return ADDRESS
        .matcher(withoutQuery(url))
        .results()
        .filter(address -> !HOST_AND_PORT.matcher("" + address.group(1)).matches())
        .map(address -> ValueText.quote(masked(address.group())) + " is not a host and a port")
        .findFirst();
  }

  /** Returns a URL without its query, which may contain a password. */
  private static String withoutQuery(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query);
  }

  /** Returns whether a URL is that of a service: a page without fragment. */
  public static boolean isHttp(String url) {
    return isPage(url) && url.indexOf('#') < 0;
  }

  /** Returns whether a URL is http or https with a host and without user info. */
  static boolean isPage(String url) {
    try {
      URI uri = URI.create(url);
      boolean http =
          "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
      return http && uri.getHost() != null && uri.getRawUserInfo() == null;
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  /**
   * Returns the problem of an issuer's URL, or null. The message contains no user info. The scheme
   * must be https except on this machine: an attacker who changes the issuer's responses can admit
   * any client.
   */
  public static String issuerProblem(String url, boolean plainHttpAllowed) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException malformed) {
      return ValueText.quote(masked(url)) + " is not a URL";
    }
    if (!WITH_SCHEME.matcher(url).matches()) {
      return "has no scheme"; // not quoted: may be secret
    }
    if (uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
      return "has no host, or contains a user name or a fragment"; // likewise
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
