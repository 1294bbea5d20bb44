package io.sluice.gateway.config;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What can be seen to be wrong with a broker's URL before anybody connects: the JMS clients
 * themselves complain late, or not in words that help. Stateless, for any thread.
 */
public final class BrokerUrl {
  /** What would be right, for people. */
  public static final String EXPECTED = "a URL such as tcp://broker.example.com:61616";

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

  private BrokerUrl() {}

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
  public static Optional<String> problem(String provider, String url) {
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
}
