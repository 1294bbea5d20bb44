package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.config.ValueText;
import io.sluice.gateway.protocol.TopicRules;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** Validation rules for the settings of Kafka. Used once, by one thread. */
public final class KafkaRules {
  private static final Pattern SERVER = Pattern.compile("(?:[^:\\s/]+|\\[[^]\\s]+]):\\d{1,5}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,249}");

  private static final String ISOLATION = "isolation.level";
  private static final String PROTOCOL = "security.protocol";
  private static final String COMMITTED = "read_committed";

  private static final List<Setting<List<String>>> LISTS =
      List.of(KafkaSettings.TOPICS, KafkaSettings.KEYED_TOPICS, KafkaSettings.PARTITION_TOPICS);

  private static final String REGISTRY = "a URL such as https://registry.example.com";

  private static final String PROPERTIES = "properties of Kafka clients";

  private final ConfigFindings findings;
  private final Config config;

  private KafkaRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports all violations of the rules. */
  public static void check(ConfigFindings findings) {
    new KafkaRules(findings).check();
  }

  /** Reports properties that the clients refuse or do not have. */
  public static void checkClients(ConfigFindings findings) {
    KafkaOptions options = KafkaOptions.of(findings.config());
    options
        .unknownProperties()
        .forEach(
            (name, problem) ->
                findings.reportEntry(
                    ValueText.quote(name) + " " + problem,
                    PROPERTIES,
                    KafkaSettings.PROPERTIES,
                    name));
    String problem = options.problem();
    if (problem != null) {
      findings.report(problem, PROPERTIES, KafkaSettings.PROPERTIES);
    }
  }

  private void check() {
    if (config.get(KafkaSettings.SERVERS).isEmpty()) {
      for (Setting<?> setting : KafkaSettings.ALL) {
        findings.reportNoEffect(setting, KafkaSettings.SERVERS, "addresses of brokers");
      }
      return;
    }
    checkServers();
    LISTS.forEach(this::checkNames);
    checkOverlap(KafkaSettings.KEYED_TOPICS);
    checkOverlap(KafkaSettings.PARTITION_TOPICS);
    config.get(KafkaSettings.PROPERTIES).forEach(this::checkProperty);
    checkRegistry();
  }

  private void checkRegistry() {
    String url = config.get(KafkaSettings.REGISTRY_URL);
    if (url.isEmpty()) {
      KafkaSettings.ALL.stream()
          .filter(each -> each.key().startsWith("kafka.registry."))
          .forEach(each -> findings.reportNoEffect(each, KafkaSettings.REGISTRY_URL, REGISTRY));
      return;
    }
    if (!ServiceUrl.isHttp(url) || url.indexOf('?') >= 0) {
      findings.report(
          ValueText.quote(ServiceUrl.masked(url))
              + " is not a URL of http or https without user info, query and fragment",
          REGISTRY,
          KafkaSettings.REGISTRY_URL);
    }
    checkRegistryTopics();
    findings.checkFileOrValue(KafkaSettings.REGISTRY_SECRET_FILE, KafkaSettings.REGISTRY_SECRET);
    String secret = config.get(KafkaSettings.REGISTRY_SECRET);
    if (secret.startsWith(":") || secret.endsWith(":")) {
      findings.report(
          "has no user or no password", "user:password, or a token", KafkaSettings.REGISTRY_SECRET);
    }
  }

  private void checkRegistryTopics() {
    List<String> topics = config.get(KafkaSettings.REGISTRY_TOPICS);
    if (topics.isEmpty()) {
      findings.report(
          "has no effect without kafka.registry.topics",
          "Kafka topics whose values have a schema",
          KafkaSettings.REGISTRY_URL);
    }
    for (String topic : topics) {
      boolean served = LISTS.stream().anyMatch(setting -> config.get(setting).contains(topic));
      if (!served || Collections.frequency(topics, topic) > 1) {
        findings.report(
            ValueText.quote(topic)
                + (served ? " occurs twice" : " is not a Kafka topic of this node"),
            "different topics of kafka.topics, kafka.keyed-topics or kafka.partition-topics",
            KafkaSettings.REGISTRY_TOPICS);
        return;
      }
    }
  }

  private void checkServers() {
    for (String server : config.get(KafkaSettings.SERVERS)) {
      if (!SERVER.matcher(server).matches()) {
        findings.report(
            ValueText.quote(ServiceUrl.masked(server)) + " is not a host and a port",
            "addresses such as kafka.example.com:9092",
            KafkaSettings.SERVERS);
      }
    }
    if (LISTS.stream().allMatch(setting -> config.get(setting).isEmpty())) {
      findings.report(
          "has no effect without kafka.topics, kafka.keyed-topics and kafka.partition-topics",
          "topics in at least one of them",
          KafkaSettings.SERVERS);
    }
  }

  private void checkNames(Setting<List<String>> setting) {
    TopicRules rules = TopicSettings.topicRules(config);
    for (String topic : config.get(setting)) {
      if (!NAME.matcher(topic).matches() || rules.checkTopic(topic) != null) {
        findings.report(
            ValueText.quote(topic) + " is not a usable name of a Kafka topic",
            "letters, digits, - and _ in levels joined by dots",
            setting);
      }
    }
  }

  // A gateway topic must belong to one Kafka topic.
  private void checkOverlap(Setting<List<String>> split) {
    for (String name : config.get(split)) {
      for (Setting<List<String>> setting : LISTS) {
        config.get(setting).stream()
            .filter(other -> other.startsWith(name + '.') || setting != split && name.equals(other))
            .forEach(
                other ->
                    findings.report(
                        ValueText.quote(other)
                            + " may also be a topic of "
                            + ValueText.quote(name)
                            + " in "
                            + split.key(),
                        "names that do not begin with a topic of " + split.key(),
                        setting));
      }
    }
  }

  private void checkProperty(String name, String value) {
    String reason = KafkaProperties.REFUSED.get(name);
    if (name.equals(ISOLATION) && !value.equals(COMMITTED)) {
      reason = "clients must not receive messages of aborted transactions";
    }
    if (reason != null) {
      findings.reportEntry(
          ValueText.quote(name) + " is not configurable: " + reason,
          "properties that the node does not set",
          KafkaSettings.PROPERTIES,
          name);
    } else if (name.startsWith("ssl.")
        && name.endsWith(".location")
        && !ConfigFindings.isReadable(value)) {
      findings.reportEntry(
          ValueText.quote(value) + " is not a readable file",
          "a file",
          KafkaSettings.PROPERTIES,
          name);
    } else {
      checkSecurity(name);
    }
  }

  private void checkSecurity(String name) {
    Map<String, String> given = config.get(KafkaSettings.PROPERTIES);
    String protocol = given.getOrDefault(PROTOCOL, "PLAINTEXT").toUpperCase(Locale.ROOT);
    boolean sasl = protocol.matches("SASL_.*|[$].*"); // $ reads the value from a file
    boolean tls = protocol.matches(".*SSL|[$].*") || given.containsValue("OAUTHBEARER");
    boolean unused = name.startsWith("sasl.") && !sasl || name.startsWith("ssl.") && !tls;
    if (unused && ConsumerConfig.configNames().contains(name)) {
      findings.reportEntry(
          ValueText.quote(name) + " has no effect with " + PROTOCOL + ' ' + protocol,
          PROTOCOL + (sasl ? ": SASL_SSL" : ": SASL_SSL, or SSL without SASL"),
          KafkaSettings.PROPERTIES,
          name);
    }
  }
}
