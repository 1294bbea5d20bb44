package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.List;

/**
 * Source of a node's messages in a configuration. Immutable.
 *
 * @param name name on the wire, in metrics and for operators
 * @param key key that configures the source
 * @param topics patterns of its topics; the last source also has those of no other one
 */
public record ConfiguredSource(String name, Setting<?> key, List<String> topics) {
  /** Returns the sources; a topic belongs to the first one that has it. */
  public static List<ConfiguredSource> of(Config config) {
    List<ConfiguredSource> sources = new ArrayList<>();
    if (!config.get(KafkaSettings.SERVERS).isEmpty()) {
      sources.add(new ConfiguredSource("kafka", KafkaSettings.SERVERS, kafkaTopics(config)));
    }
    if (!config.get(NatsSettings.SERVERS).isEmpty()) {
      sources.add(
          new ConfiguredSource("nats", NatsSettings.SERVERS, config.get(NatsSettings.TOPICS)));
    }
    NodeRoots.of(config)
        .forEach(
            each ->
                sources.add(
                    new ConfiguredSource(each.source(), LinkSettings.ROOTS, each.topics())));
    String url = config.get(BrokerSettings.URL);
    boolean needsNoUrl = List.of("factory", "jndi").contains(config.get(BrokerSettings.PROVIDER));
    if (sources.isEmpty() || needsNoUrl || url != null && !url.isBlank()) {
      sources.add(new ConfiguredSource("jms", BrokerSettings.URL, List.of()));
    }
    return List.copyOf(sources);
  }

  private static List<String> kafkaTopics(Config config) {
    List<String> topics = new ArrayList<>(config.get(KafkaSettings.TOPICS));
    for (String keyed : config.get(KafkaSettings.KEYED_TOPICS)) {
      topics.add(keyed);
      topics.add(keyed + ".>");
    }
    config.get(KafkaSettings.PARTITION_TOPICS).forEach(each -> topics.add(each + ".*"));
    return topics;
  }

  /** Returns whether a node with this configuration has a JMS broker. */
  public static boolean hasJmsBroker(Config config) {
    return of(config).stream().anyMatch(each -> each.key == BrokerSettings.URL);
  }

  /** Returns whether a node with this configuration receives messages of another node. */
  public static boolean hasRoot(Config config) {
    return config.get(LinkSettings.ACCEPT) || !config.get(LinkSettings.ROOTS).isEmpty();
  }

  /** Returns the name of the source of a topic. */
  public static String nameOf(List<ConfiguredSource> sources, String topic) {
    return sources.stream()
        .filter(each -> TopicPattern.anyCovers(each.topics, topic))
        .findFirst()
        .orElse(sources.get(sources.size() - 1))
        .name;
  }
}
