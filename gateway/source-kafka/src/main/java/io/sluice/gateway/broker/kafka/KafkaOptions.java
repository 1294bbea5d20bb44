package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.SourceOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.NearestKey;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.TopicSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SecurityConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Options of the node's Kafka clients. Immutable, for any thread.
 *
 * @param servers addresses of brokers
 * @param names mapping of topics
 * @param properties configured properties of the clients
 * @param clientId prefix of the client ids
 * @param refreshMs interval between two checks of the cluster and its topics
 * @param timeoutMs time without a response after which the cluster is considered lost
 * @param reconnectMaxMs upper bound of all delays before a reconnect
 * @param forwarded names of headers that are forwarded with a message
 * @param keys properties with the keys of records, except those of keyed topics
 * @param messageBytes maximum payload of a message in bytes
 * @param snapshotBytes maximum bytes of all snapshots that are read at a time
 * @param maxLagMs time for which records may wait for an overloaded node
 * @param publishes maximum number of unconfirmed publishes
 * @param publishBytes maximum bytes of unconfirmed publishes
 * @param publishTimeoutMs timeout of a publish
 */
public record KafkaOptions(
    List<String> servers,
    KafkaNames names,
    Map<String, String> properties,
    String clientId,
    long refreshMs,
    long timeoutMs,
    long reconnectMaxMs,
    List<String> forwarded,
    PublishKeys keys,
    long messageBytes,
    long snapshotBytes,
    long maxLagMs,
    int publishes,
    long publishBytes,
    long publishTimeoutMs) {
  /** Number of checks within the time after which the cluster is considered lost. */
  private static final int CHECKS_PER_TIMEOUT = 4;

  /** Sources of values in other properties, with additional properties. */
  private static final String PROVIDERS = AbstractConfig.CONFIG_PROVIDERS_CONFIG;

  private static final int MAX_REQUEST_MS = 30_000;
  private static final int MIN_REQUEST_MS = 1_000;
  private static final int SETUP_MS = 5_000;

  /** Longest time for which a send may block the publishing thread. */
  private static final int MAX_BLOCK_MS = 2_000;

  /** Maximum number of records of one poll. */
  static final int MAX_RECORDS = 500;

  /** Maximum bytes of a partition that are fetched before others are, unless configured. */
  private static final int FETCH_BYTES = 256 << 10;

  /** Bytes of a produce request besides the message's payload. */
  private static final int REQUEST_BYTES = 64 << 10;

  /** Bytes of memory for a publish besides its own: the producer's smallest batch, and headers. */
  private static final int BATCH_BYTES = 18 << 10;

  /** Reads the options from the configuration. */
  public static KafkaOptions of(Config config) {
    long timeoutMs = config.get(BrokerSettings.CANARY_TIMEOUT).toMillis();
    String clientId = config.get(BrokerSettings.CLIENT_ID);
    return new KafkaOptions(
        config.get(KafkaSettings.SERVERS),
        new KafkaNames(
            config.get(KafkaSettings.TOPICS),
            config.get(KafkaSettings.KEYED_TOPICS),
            config.get(KafkaSettings.PARTITION_TOPICS),
            TopicSettings.topicRules(config)),
        config.get(KafkaSettings.PROPERTIES),
        clientId.isEmpty() ? "sluice" : clientId,
        Math.min(
            config.get(KafkaSettings.REFRESH).toMillis(),
            Math.max(1, timeoutMs / CHECKS_PER_TIMEOUT)),
        timeoutMs,
        config.get(BrokerSettings.RECONNECT_MAX).toMillis(),
        SourceOptions.forwardedProperties(config),
        PublishKeys.of(
            config.get(HistorySettings.KEY_PROPERTIES),
            config.get(HistorySettings.REMOVAL_PROPERTY)),
        config.get(LimitSettings.BROKER_MESSAGE_BYTES),
        config.get(HistorySettings.MEMORY),
        config.get(HistorySettings.AGE).toMillis(),
        config.get(BrokerSettings.PUBLISH_QUEUE),
        config.get(BrokerSettings.PUBLISH_QUEUE_BYTES),
        config.get(BrokerSettings.PUBLISH_TIMEOUT).toMillis());
  }

  /** Creates the backoff of reconnects. */
  Backoff newBackoff() {
    return SourceOptions.backoff(reconnectMaxMs);
  }

  /** Returns the reason for which the properties of the clients are invalid, or null. */
  String problem() {
    try {
      new ConsumerConfig(consumer("check"));
      new ProducerConfig(producer());
      new AdminClientConfig(admin());
      return null;
    } catch (ConfigException e) {
      return ServiceUrl.masked(e.getMessage());
    }
  }

  /**
   * Returns the problems of configured properties that no client has, by name; without those that
   * are refused anyway. A class that another property names may read more, but none whose first
   * level is that of a property of Kafka.
   */
  Map<String, String> unknownProperties() {
    Set<String> known = new TreeSet<>(ConsumerConfig.configNames());
    known.addAll(ProducerConfig.configNames());
    known.addAll(AdminClientConfig.configNames());
    known.add(PROVIDERS);
    Set<String> levels = known.stream().map(KafkaOptions::firstLevel).collect(Collectors.toSet());
    boolean open = properties.keySet().stream().anyMatch(KafkaOptions::namesClass);
    Map<String, String> problems = new TreeMap<>();
    for (String name : properties.keySet()) {
      boolean read =
          known.contains(name)
              || KafkaProperties.REFUSED.containsKey(name)
              || name.startsWith(PROVIDERS + '.')
              || open && !levels.contains(firstLevel(name));
      if (!read) {
        problems.put(name, "is no property of a Kafka client" + NearestKey.hint(name, known));
      }
    }
    return problems;
  }

  private static String firstLevel(String name) {
    return name.split("\\.", 2)[0];
  }

  private static boolean namesClass(String name) {
    return name.endsWith(".class")
        || name.equals(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG)
        || name.equals(SecurityConfig.SECURITY_PROVIDERS_CONFIG);
  }

  /** Returns the properties of a consumer. */
  Map<String, Object> consumer(String name) {
    Map<String, Object> all = common(name);
    all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_RECORDS);
    all.putIfAbsent(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return all;
  }

  /** Returns the properties of the administrative client. */
  Map<String, Object> admin() {
    Map<String, Object> all = common("admin");
    all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, requestMs());
    return all;
  }

  /** Returns the properties of the producer. */
  Map<String, Object> producer() {
    Map<String, Object> all = common("publisher");
    int timeout = (int) Math.min(Integer.MAX_VALUE, Math.max(MIN_REQUEST_MS, publishTimeoutMs));
    all.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, Math.min(timeout, requestMs()));
    all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    all.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, timeout);
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
    all.putIfAbsent(ProducerConfig.BUFFER_MEMORY_CONFIG, publishMemory());
    all.put(
        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
        (int) Math.min(Integer.MAX_VALUE, messageBytes + REQUEST_BYTES));
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    return all;
  }

  // Unconfirmed publishes to a slow topic leave memory for others: a send without it blocks.
  private long publishMemory() {
    return publishBytes + (long) publishes * BATCH_BYTES;
  }

  private int requestMs() {
    return (int) Math.max(MIN_REQUEST_MS, Math.min(MAX_REQUEST_MS, timeoutMs));
  }

  private Map<String, Object> common(String name) {
    Map<String, Object> all = new HashMap<>();
    all.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, requestMs());
    all.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, MIN_REQUEST_MS);
    all.put(CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, SETUP_MS);
    all.put(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, "");
    all.put("enable.metrics.push", false);
    all.putAll(properties);
    all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers);
    all.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId + '-' + name);
    return all;
  }
}
