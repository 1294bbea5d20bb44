package io.sluice.gateway.config;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Syntax checks for the URLs of brokers and token issuers, which are made before anything connects.
 * JMS clients report such mistakes late and less clearly. Stateless, for any thread.
 */
public final class ServiceUrl {
  /** What would be right, for people. */
  public static final String BROKER_EXPECTED = "a URL such as tcp://broker.example.com:61616";

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
              "peer"));

  /** A list of addresses stands in parentheses. */
  private static final Pattern SCHEME = Pattern.compile("\\(?([a-z][a-z+]*):.+", Pattern.DOTALL);

  private static final Pattern ADDRESS =
      Pattern.compile("(?<![a-z+])(?:tcp|ssl|nio|nio\\+ssl|auto(?:\\+[a-z]+)*)://([^/?,()#\\s]*)");
  private static final Pattern HOST_AND_PORT = Pattern.compile("(?:[^:]+|\\[[^]]+]):\\d{1,5}");

  private static final Pattern USER_INFO = Pattern.compile("//[^/@\\s]*@");
  private static final Pattern PASSWORD = Pattern.compile("(?i)(passw[^=&;,)]*=)[^&;,)\\s]*");

  /** A valid URL of an issuer, for people. */
  static final String ISSUER_EXPECTED = "a URL such as https://id.example.com/keys";

  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

  private ServiceUrl() {}

  /** A URL, or a text that may hold one, as it may be told: without what is secret in it. */
  public static String masked(String text) {
    String withoutUser = USER_INFO.matcher(String.valueOf(text)).replaceAll("//***@");
    return PASSWORD.matcher(withoutUser).replaceAll("$1***");
  }

  /**
   * What is wrong, if anything; an empty URL and that of any other provider is not judged.
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
      return Optional.of(ValueText.quote(masked(withoutQuery(url))) + " is no URL of a broker");
    }
    return ADDRESS
        .matcher(withoutQuery(url))
        .results()
        .filter(address -> !HOST_AND_PORT.matcher(address.group(1)).matches())
        .map(address -> ValueText.quote(masked(address.group())) + " is not a host and a port")
        .findFirst();
  }

  /** The query may hold a password. */
  private static String withoutQuery(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query);
  }

  /**
   * Returns why an issuer's URL is refused, or null. It must be https unless it stays on this
   * machine: who can change an issuer's answers can let any client in.
   */
  public static String issuerProblem(String url, boolean plainHttpAllowed) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException malformed) {
      return ValueText.quote(masked(url)) + " is no URL";
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
