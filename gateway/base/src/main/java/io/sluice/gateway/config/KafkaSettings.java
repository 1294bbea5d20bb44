package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.map;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Configuration keys of the connection to a Kafka cluster. Constants only. */
public final class KafkaSettings {
  public static final Setting<List<String>> SERVERS =
      list(
          "kafka.servers",
          List.of(),
          "Addresses host:port of brokers of a Kafka cluster, the source of the topics below. Empty:"
              + " no Kafka.");
  public static final Setting<List<String>> TOPICS =
      list(
          "kafka.topics",
          List.of(),
          "Kafka topics that clients use under the same name. Snapshots of compacted ones have the"
              + " newest message of each record key.");
  public static final Setting<List<String>> KEYED_TOPICS =
      list(
          "kafka.keyed-topics",
          List.of(),
          "Kafka topics whose records have a topic for each key: topic orders with key eu.de is"
              + " orders.eu.de. A record without a key has the topic alone.");
  public static final Setting<List<String>> PARTITION_TOPICS =
      list(
          "kafka.partition-topics",
          List.of(),
          "Kafka topics whose partitions are topics: partition 3 of topic orders is orders.3.");
  public static final Setting<Map<String, String>> PROPERTIES =
      map(
          "kafka.properties",
          "Properties of the Kafka clients, such as security.protocol, sasl.jaas.config and"
              + " ssl.truststore.location.");
  public static final Setting<String> REGISTRY_URL =
      text(
          "kafka.registry.url",
          "",
          "URL of a schema registry with Confluent's REST interface. Empty: none.");
  public static final Setting<List<String>> REGISTRY_TOPICS =
      list(
          "kafka.registry.topics",
          List.of(),
          "Kafka topics whose values have a schema in the registry. They reach clients as JSON.");
  public static final Setting<String> REGISTRY_SECRET =
      text(
          "kafka.registry.secret",
          "",
          "Credentials for the registry, user:password or a bearer token; empty: none.");
  public static final Setting<String> REGISTRY_SECRET_FILE =
      text(
          "kafka.registry.secret-file",
          "",
          "File with kafka.registry.secret in one line, read at each request.");
  public static final Setting<String> REGISTRY_TRUST =
      text(
          "kafka.registry.trust",
          "",
          "PEM file with the authorities of the registry; empty: those of the JDK.");

  /** Interval between two checks of the cluster and its topics. */
  public static final Setting<Duration> REFRESH = internal("kafka.refresh", ofSeconds(2));

  /** Keys of this section, in the order of the documentation. */
  public static final List<Setting<?>> ALL =
      List.of(
          SERVERS,
          TOPICS,
          KEYED_TOPICS,
          PARTITION_TOPICS,
          PROPERTIES,
          REGISTRY_URL,
          REGISTRY_TOPICS,
          REGISTRY_SECRET,
          REGISTRY_SECRET_FILE,
          REGISTRY_TRUST);

  private KafkaSettings() {}
}
