package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What must hold between several settings, or beyond the form of one. Used once, by one thread. A
 * rule is silent where a value that it needs is itself broken.
 */
final class ConfigRules {
  private static final Set<String> WILDCARDS = Set.of("level", "rest", "separator");

  /** No character that any provider could read more into than a name. */
  private static final Pattern PLAIN_TOPIC = Pattern.compile("[\\w-]+(\\.[\\w-]+)*");

  private final ConfigDraft draft;
  private final Config config;
  private final List<Problem> problems = new ArrayList<>();

  ConfigRules(ConfigDraft draft) {
    this.draft = draft;
    this.config = draft.config();
  }

  List<Problem> problems() {
    checkTimes();
    checkSizes();
    checkAddresses();
    checkOrigins();
    checkTls();
    checkBrokerUrl();
    checkProvider();
    checkJars();
    checkWildcards();
    checkCanary();
    checkTopics(Settings.SUBSCRIBE_TOPICS);
    checkTopics(Settings.PUBLISH_TOPICS);
    checkTopics(Settings.HISTORY_WARM);
    checkTopics(Settings.BROKER_DURABLE);
    checkPermissions();
    checkJournal();
    checkDurable();
    checkKeyProperties();
    return problems;
  }

  private void checkTimes() {
    ordered(Settings.BROKER_RECONNECT_MIN, "more than", Settings.BROKER_RECONNECT_MAX, 0);
    ordered(Settings.TIMEOUT_PING, "not less than", Settings.TIMEOUT_IDLE, -1);
  }

  private void checkSizes() {
    ordered(Settings.LIMIT_FRAME_BYTES, "more than", Settings.LIMIT_MESSAGE_BYTES, 0);
    ordered(Settings.LIMIT_STREAM_BODY_BYTES, "more than", Settings.LIMIT_STREAM_BODIES_BYTES, 0);
  }

  /** The order that is still allowed: 0 if both may be the same, -1 if not. */
  private <T extends Comparable<T>> void ordered(
      Setting<T> low, String wrongly, Setting<T> high, int allowed) {
    T lower = config.get(low);
    T higher = config.get(high);
    if (lower.compareTo(higher) <= allowed) {
      return;
    }
    String compared = ValueText.write(lower) + " is " + wrongly + " " + high.key();
    report(compared + ", " + ValueText.write(higher), "", low, high);
  }

  private void checkAddresses() {
    int port = config.get(Settings.SERVER_PORT);
    boolean same = port != 0 && port == config.get(Settings.ADMIN_PORT);
    if (same) {
      report(
          "clients and admin have the same port, " + port,
          "two ports",
          Settings.ADMIN_PORT,
          Settings.SERVER_PORT);
    }
  }

  private void checkOrigins() {
    for (String origin : config.get(Settings.SERVER_ALLOWED_ORIGINS)) {
      if (!origin.equals("*") && !isOrigin(origin)) {
        report(
            ValueText.quote(origin) + " is not an origin",
            "* or a scheme and a host, such as https://app.example.com",
            Settings.SERVER_ALLOWED_ORIGINS);
      }
    }
  }

  /** Scheme, host and perhaps a port; as browsers send it, so without a slash at the end. */
  private static boolean isOrigin(String text) {
    try {
      URI uri = URI.create(text);
      return uri.getHost() != null
          && uri.getUserInfo() == null
          && uri.getRawPath().isEmpty()
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null;
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  private void checkTls() {
    try {
      boolean off = TlsIdentity.read(config).isEmpty();
      if (off && draft.origin(Settings.SERVER_TLS_ENGINE).isPresent()) {
        report(
            "has no effect without a certificate",
            Settings.SERVER_TLS_CERTIFICATE.key() + " and " + Settings.SERVER_TLS_KEY.key(),
            Settings.SERVER_TLS_ENGINE,
            Settings.SERVER_TLS_CERTIFICATE,
            Settings.SERVER_TLS_KEY);
      }
    } catch (UnusableTls e) {
      report(e.what(), "", e.setting(), Settings.SERVER_TLS_CERTIFICATE, Settings.SERVER_TLS_KEY);
    }
  }

  private void checkBrokerUrl() {
    String url = config.get(Settings.BROKER_URL);
    BrokerUrl.problem(config.get(Settings.BROKER_PROVIDER), url == null ? "" : url)
        .ifPresent(
            problem ->
                report(problem, BrokerUrl.EXPECTED, Settings.BROKER_URL, Settings.BROKER_PROVIDER));
  }

  private void checkProvider() {
    String provider = config.get(Settings.BROKER_PROVIDER);
    if (provider.equals("factory") && config.get(Settings.BROKER_FACTORY_CLASS).isEmpty()) {
      report(
          "provider factory needs the class of the ConnectionFactory",
          "a class name",
          Settings.BROKER_FACTORY_CLASS,
          Settings.BROKER_PROVIDER);
    }
    onlyFor(provider, Settings.BROKER_FACTORY_CLASS, "factory");
    onlyFor(provider, Settings.BROKER_FACTORY_PROPERTIES, "factory");
    onlyFor(provider, Settings.BROKER_JNDI_CONNECTION_FACTORY, "jndi");
    onlyFor(provider, Settings.BROKER_JNDI_ENVIRONMENT, "jndi");
    onlyFor(provider, Settings.BROKER_JARS, "factory", "jndi");
    onlyFor(provider, Settings.BROKER_WILDCARDS, "factory", "jndi");
  }

  /** A key that would have no effect is a mistake that would otherwise go unseen. */
  private void onlyFor(String provider, Setting<?> setting, String... providers) {
    boolean given = draft.origin(setting).isPresent();
    if (given && !List.of(providers).contains(provider)) {
      report(
          "has no effect with broker.provider " + provider,
          "broker.provider " + String.join(" or ", providers),
          setting,
          Settings.BROKER_PROVIDER);
    }
  }

  private void checkJars() {
    String jars = config.get(Settings.BROKER_JARS);
    if (!jars.isEmpty() && !isFolder(jars)) {
      report("there is no folder " + ValueText.quote(jars), "a folder", Settings.BROKER_JARS);
    }
  }

  private static boolean isFolder(String name) {
    try {
      return Files.isDirectory(Path.of(name));
    } catch (InvalidPathException malformed) {
      return false;
    }
  }

  private void checkWildcards() {
    for (String name : config.get(Settings.BROKER_WILDCARDS).keySet()) {
      if (!WILDCARDS.contains(name)) {
        String hint = NearestKey.hint(name, WILDCARDS);
        report(
            ValueText.quote(name) + " is unknown" + hint,
            "level, rest and separator",
            Settings.BROKER_WILDCARDS);
      }
    }
  }

  // With one interval a single canary that is late would be a loss.
  private void checkCanary() {
    atLeastTwice(Settings.BROKER_CANARY_PATIENCE, Settings.BROKER_CANARY_INTERVAL, "");
    String prefix = config.get(Settings.BROKER_CANARY_PREFIX);
    if (!PLAIN_TOPIC.matcher(prefix).matches()) {
      report(
          ValueText.quote(prefix) + " is no plain topic",
          "levels of letters, digits, - and _, joined by dots",
          Settings.BROKER_CANARY_PREFIX);
    }
  }

  private void atLeastTwice(Setting<Duration> high, Setting<Duration> low, String why) {
    Duration lower = config.get(low);
    Duration higher = config.get(high);
    if (higher.compareTo(lower.multipliedBy(2)) < 0) {
      String compared = ValueText.write(higher) + " is less than twice " + low.key();
      report(compared + ", " + ValueText.write(lower) + why, "", high, low);
    }
  }

  private void checkJournal() {
    try {
      Path.of(config.get(Settings.JOURNAL_FOLDER));
    } catch (InvalidPathException malformed) {
      report("is no path: " + malformed.getReason(), "a folder", Settings.JOURNAL_FOLDER);
    }
  }

  private void checkDurable() {
    if (config.get(Settings.BROKER_DURABLE).isEmpty()) {
      return;
    }
    if (config.get(Settings.BROKER_CLIENT_ID).isEmpty()) {
      report(
          "is empty, but broker.durable needs it",
          "a name that no other node has and that stays",
          Settings.BROKER_CLIENT_ID,
          Settings.BROKER_DURABLE);
    }
    if (config.get(Settings.JOURNAL_FOLDER).isEmpty()) {
      report(
          "is empty, but broker.durable needs it",
          "a folder on a local disk",
          Settings.JOURNAL_FOLDER,
          Settings.BROKER_DURABLE);
    }
    atLeastTwice(
        Settings.RESUME_MARGIN, Settings.RESUME_SPREAD, ", and broker.durable needs as much");
    if (config.get(Settings.HISTORY_MESSAGES) == 0) {
      report(
          "0 keeps nothing, but broker.durable needs a log",
          "1 or more",
          Settings.HISTORY_MESSAGES,
          Settings.BROKER_DURABLE);
    }
  }

  /** A pattern that isn't one would match nothing, and lock every client out. */
  private void checkKeyProperties() {
    for (String rule : config.get(Settings.HISTORY_KEY_PROPERTIES)) {
      int equals = rule.indexOf('=');
      if (equals < 1 || equals == rule.length() - 1) {
        report(
            ValueText.quote(rule) + " is no pattern=property",
            "such as orders.>=orderId",
            Settings.HISTORY_KEY_PROPERTIES);
      } else {
        checkTopic(rule.substring(0, equals), Settings.HISTORY_KEY_PROPERTIES);
      }
    }
  }

  private void checkTopics(Setting<List<String>> setting) {
    config.get(setting).forEach(topic -> checkTopic(topic, setting));
  }

  private void checkTopic(String topic, Setting<?> setting) {
    tell(topicRules().checkPattern(topic), setting);
  }

  private void checkPermissions() {
    TopicRules rules = topicRules();
    for (PermissionRule rule : config.get(Settings.PERMISSIONS_RULES)) {
      Stream.concat(rule.subscribe().stream(), rule.publish().stream())
          .map(pattern -> TopicTemplate.problem(pattern, rules))
          .forEach(problem -> tell(problem, Settings.PERMISSIONS_RULES));
    }
  }

  private TopicRules topicRules() {
    return new TopicRules(
        config.get(Settings.LIMIT_TOPIC_LENGTH), config.get(Settings.LIMIT_TOPIC_DEPTH));
  }

  private void tell(TopicRules.Problem problem, Setting<?> setting) {
    if (problem != null) {
      report(
          problem.message(),
          "levels joined by dots, * for any one level, > at the end for any rest",
          setting);
    }
  }

  /** The problem is told at the first of the settings that was given. */
  private void report(String what, String expected, Setting<?>... settings) {
    if (!Arrays.stream(settings).allMatch(draft::isSound)) {
      return;
    }
    Optional<Setting<?>> given =
        Arrays.stream(settings).filter(s -> draft.origin(s).isPresent()).findFirst();
    Origin origin = given.flatMap(draft::origin).orElse(Origin.of("defaults"));
    problems.add(new Problem(origin, settings[0].key(), what, expected));
  }
}
