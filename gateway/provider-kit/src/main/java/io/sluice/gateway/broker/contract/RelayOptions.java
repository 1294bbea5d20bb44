package io.sluice.gateway.broker.contract;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The only address of a broker in a configuration, which a relay can replace. Immutable. */
final class RelayOptions {
  private static final Pattern URL =
      Pattern.compile(
          "([a-z+]+)://(\\[[^]]+]|[^/:?,;()@\\[\\]\\s]+)(?::(\\d{1,5}))?((?:/?\\?[^,()]*)?)");
  private static final Set<String> TLS =
      Set.of("amqps", "amqpwss", "auto+nio+ssl", "auto+ssl", "https", "nio+ssl", "ssl", "wss");

  /** Option of each client that compares no name of a certificate. */
  private static final Map<String, String> WITHOUT_NAME =
      Map.of(
          "artemis", "verifyHost=false",
          "classic", "socket.verifyHostName=false",
          "amqp", "transport.verifyHost=false");

  private static final int AMQP = 5672;
  private static final int AMQPS = 5671;

  private final Config config;

  /** Entry of broker.properties; null: broker.url. */
  private final String entry;

  private final MatchResult url;

  private RelayOptions(Config config, String entry, MatchResult url) {
    this.config = config;
    this.entry = entry;
    this.url = url;
  }

  /**
   * Returns the address in a configuration.
   *
   * @throws Unchecked if there is none, or several
   */
  static RelayOptions of(Config config) throws Unchecked {
    boolean plugged = List.of("factory", "jndi").contains(config.get(BrokerSettings.PROVIDER));
    RelayOptions found = null;
    if (plugged) {
      for (Map.Entry<String, String> each : config.get(BrokerSettings.PROPERTIES).entrySet()) {
        Matcher matcher = URL.matcher(each.getValue());
        if (matcher.matches()) {
          if (found != null) {
            throw new Unchecked("broker.properties has several URLs");
          }
          found = new RelayOptions(config, each.getKey(), matcher.toMatchResult());
        }
      }
    } else {
      Matcher matcher = URL.matcher(String.valueOf(config.get(BrokerSettings.URL)));
      found = matcher.matches() ? new RelayOptions(config, null, matcher.toMatchResult()) : null;
    }
    if (found == null || found.port() == 0) {
      String key = plugged ? BrokerSettings.PROPERTIES.key() : BrokerSettings.URL.key();
      throw new Unchecked(key + " has no URL with a single host and port");
    }
    return found;
  }

  boolean isTls() {
    return TLS.contains(url.group(1)) || url.group(4).contains("sslEnabled=true");
  }

  /** Returns whether the broker's address is one of this machine's loopback interface. */
  boolean isLocal() {
    return host().equals("localhost") || host().startsWith("127.");
  }

  /**
   * Returns the options for a relay at an address of this machine. With TLS the broker's
   * certificate has another name, which the client then does not compare.
   *
   * @throws Unchecked if it cannot omit that
   */
  RelayOptions forRelay() throws Unchecked {
    if (!isTls() || isLocal()) {
      return this;
    }
    String option = WITHOUT_NAME.get(config.get(BrokerSettings.PROVIDER));
    if (option == null) {
      throw new Unchecked("a relay does not have the name in the broker's certificate");
    }
    String query = url.group(4).isEmpty() ? "?" : url.group(4) + "&";
    return of(config.with(BrokerSettings.URL, authority() + query + option));
  }

  private String authority() {
    return url.group(1) + "://" + host() + ":" + port();
  }

  String host() {
    return url.group(2);
  }

  private int port() {
    if (url.group(3) != null) {
      return Integer.parseInt(url.group(3));
    }
    return url.group(1).equals("amqp") ? AMQP : url.group(1).equals("amqps") ? AMQPS : 0;
  }

  InetSocketAddress broker() {
    return new InetSocketAddress(host(), port());
  }

  /** Returns the configuration with another address. */
  Config with(String host, int port) {
    String other = url.group(1) + "://" + host + ":" + port + url.group(4);
    if (entry == null) {
      return config.with(BrokerSettings.URL, other);
    }
    Map<String, String> properties = new HashMap<>(config.get(BrokerSettings.PROPERTIES));
    properties.put(entry, other);
    return config.with(BrokerSettings.PROPERTIES, Map.copyOf(properties));
  }
}
