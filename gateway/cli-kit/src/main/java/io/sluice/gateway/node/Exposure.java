package io.sluice.gateway.node;

import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.config.WebOrigin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Access that a configuration grants without a credential, a rule or encryption. Immutable, for any
 * thread. Exposures are allowed; {@code check-config} and the log report them to the operator.
 *
 * @param key the key that grants the access
 * @param access the granted access, worded for people
 */
public record Exposure(String key, String access) {
  private static final Pattern PLAIN_ADDRESS =
      Pattern.compile(
          "(?<![\\w+.@/-])(?:tcp|nio|auto|auto\\+nio|amqp|amqpws|http|ws)://"
              + "(?:[^/@,]*@)?(\\[[^]]+]|[^:/?,()#]+)");
  private static final String DURABLE = " may have durable subscriptions at the broker of ";

  /** Returns all exposures of a configuration, in the order of the documentation. */
  public static List<Exposure> of(Config config) {
    List<Exposure> found = new ArrayList<>();
    boolean anonymous = config.get(AuthSettings.ANONYMOUS);
    boolean rules = TopicSettings.hasPermissions(config);
    addOrigins(found, config.get(ServerSettings.ALLOWED_ORIGINS));
    if (config.get(ServerSettings.ECHO)) {
      found.add(of(ServerSettings.ECHO, "/echo is open to clients without a credential"));
    }
    boolean credentials = AuthSettings.acceptsCredentials(config);
    if (credentials && isPlain(config)) {
      found.add(
          of(
              ServerSettings.TLS_CERTIFICATE,
              "credentials are sent unencrypted unless a proxy terminates TLS on this host"));
    }
    if (anonymous) {
      found.add(
          of(
              AuthSettings.ANONYMOUS,
              rules
                  ? "clients without a credential may connect"
                  : "clients without a credential may connect and subscribe to "
                      + patterns(config, TopicSettings.SUBSCRIBE_TOPICS)));
    }
    if (credentials && !anonymous && !rules) {
      found.add(
          of(
              TopicSettings.SUBSCRIBE_TOPICS,
              "all authenticated clients may subscribe to "
                  + patterns(config, TopicSettings.SUBSCRIBE_TOPICS)));
    }
    if (config.get(AuthSettings.ALLOW_PLAIN_HTTP)) {
      found.add(of(AuthSettings.ALLOW_PLAIN_HTTP, "an issuer's keys may be fetched unencrypted"));
    }
    if (isAdminPlain(config)) {
      found.add(of(AdminSettings.TLS_CERTIFICATE, "operators' tokens are sent unencrypted"));
    }
    plainBroker(config)
        .map(host -> of(BrokerSettings.URL, "the password is sent unencrypted to " + host))
        .ifPresent(found::add);
    if (config.get(AdminSettings.METRICS_OPEN)
        && !AddressRange.isLoopback(config.get(AdminSettings.HOST))) {
      found.add(of(AdminSettings.METRICS_OPEN, "metrics are readable without a token"));
    }
    if (!rules) {
      String clients = anonymous ? "clients without a credential" : "all authenticated clients";
      addOpen(found, config, TopicSettings.TOPICS_DURABLE, clients + DURABLE);
      addOpen(found, config, TopicSettings.TOPICS_SHARED, clients + " may share messages of ");
      addOpen(found, config, TopicSettings.PUBLISH_TOPICS, clients + " may publish to ");
      addOpen(found, config, TopicSettings.QUEUES_SEND, clients + " may publish to the queues ");
      addOpen(found, config, TopicSettings.QUEUES_CONSUME, clients + " may consume the queues ");
      addOpen(found, config, TopicSettings.QUEUES_BROWSE, clients + " may browse the queues ");
    }
    return List.copyOf(found);
  }

  private static void addOrigins(List<Exposure> found, List<String> configured) {
    List<WebOrigin> origins = configured.stream().map(WebOrigin::of).toList();
    if (configured.contains("*")) {
      found.add(of(ServerSettings.ALLOWED_ORIGINS, "web pages of any origin may connect"));
    }
    if (origins.contains(WebOrigin.NULL)) {
      found.add(
          of(
              ServerSettings.ALLOWED_ORIGINS,
              "any web page may connect: a sandboxed frame of every page, a data: URL and a local"
                  + " file have the origin null"));
    }
    if (origins.contains(WebOrigin.FILE)) {
      found.add(
          of(
              ServerSettings.ALLOWED_ORIGINS,
              "any local file that a browser opens may connect, including downloaded ones: all"
                  + " have the origin file://"));
    }
    String plain =
        origins.stream()
            .filter(WebOrigin::isUnencrypted)
            .map(WebOrigin::text)
            .collect(Collectors.joining(", "));
    if (!plain.isEmpty()) {
      found.add(
          of(
              ServerSettings.ALLOWED_ORIGINS,
              "pages of " + plain + " can be changed by an attacker in their network"));
    }
  }

  private static void addOpen(
      List<Exposure> found, Config config, Setting<List<String>> setting, String access) {
    if (!config.get(setting).isEmpty()) {
      found.add(of(setting, access + patterns(config, setting)));
    }
  }

  /** Returns the remote broker that receives the password without TLS, if any. */
  private static Optional<String> plainBroker(Config config) {
    String url = config.get(BrokerSettings.URL);
    boolean password =
        !config.get(BrokerSettings.PASSWORD).isEmpty()
            || !config.get(BrokerSettings.PASSWORD_FILE).isEmpty();
    return url == null || !password || url.contains("sslEnabled=true")
        ? Optional.empty()
        : PLAIN_ADDRESS
            .matcher(url)
            .results()
            .map(address -> address.group(1))
            .filter(host -> !AddressRange.isLoopback(host.replaceAll("[\\[\\]]", "")))
            .findFirst();
  }

  private static boolean isAdminPlain(Config config) {
    return AdminSettings.hasLogin(config)
        && config.get(AdminSettings.TLS_CERTIFICATE).isEmpty()
        && !AddressRange.isLoopback(config.get(AdminSettings.HOST));
  }

  private static boolean isPlain(Config config) {
    return config.get(ServerSettings.TLS_CERTIFICATE).isEmpty()
        && config.get(ServerSettings.TRUSTED_PROXIES).isEmpty()
        && !AddressRange.isLoopback(config.get(ServerSettings.HOST));
  }

  private static Exposure of(Setting<?> setting, String access) {
    return new Exposure(setting.key(), access);
  }

  private static String patterns(Config config, Setting<List<String>> setting) {
    return String.join(", ", config.get(setting));
  }

  /** Returns one line for people. */
  @Override
  public String toString() {
    return key + ": " + access;
  }
}
