package io.sluice.gateway.broker.kafka;

import java.util.Map;

/** Names of properties of Kafka clients and serializers that are not configurable. Constants. */
final class KafkaProperties {
  private static final String GROUP = "the node reads all partitions, without a consumer group";
  private static final String OFFSETS = "the node decides where it begins to read";
  private static final String BYTES = "the node forwards keys and values unchanged";
  private static final String STORED = "a publish must be stored once, before it is confirmed";
  private static final String SERVERS = "kafka.servers has the addresses";
  private static final String CREATION = "the node creates no topics";
  private static final String APART = "the node's value keeps topics from waiting for others";
  private static final String TIMEOUT = "the node limits the time of a publish";
  private static final String SCHEMAS = "kafka.registry configures the schema registry";
  private static final String SUBJECT = "the node uses the subject TOPIC-value (TopicNameStrategy)";

  /** Reasons for which properties of the clients are not configurable. */
  static final Map<String, String> REFUSED =
      Map.ofEntries(
          Map.entry("bootstrap.servers", SERVERS),
          Map.entry("bootstrap.controllers", SERVERS),
          Map.entry("group.id", GROUP),
          Map.entry("group.instance.id", GROUP),
          Map.entry("group.protocol", GROUP),
          Map.entry("partition.assignment.strategy", GROUP),
          Map.entry("enable.auto.commit", GROUP),
          Map.entry("auto.offset.reset", OFFSETS),
          Map.entry("key.deserializer", BYTES),
          Map.entry("value.deserializer", BYTES),
          Map.entry("key.serializer", BYTES),
          Map.entry("value.serializer", BYTES),
          Map.entry("interceptor.classes", BYTES),
          Map.entry("acks", STORED),
          Map.entry("enable.idempotence", STORED),
          Map.entry("transactional.id", STORED),
          Map.entry("allow.auto.create.topics", CREATION),
          Map.entry("client.id", "broker.client-id sets it"),
          Map.entry("max.request.size", "limits.broker-message-bytes sets it"),
          Map.entry("max.poll.records", APART),
          Map.entry("max.block.ms", APART),
          Map.entry("linger.ms", "the node sends each publish at once"),
          Map.entry("delivery.timeout.ms", TIMEOUT),
          Map.entry("schema.registry.url", SCHEMAS),
          Map.entry("basic.auth.credentials.source", SCHEMAS),
          Map.entry("basic.auth.user.info", SCHEMAS),
          Map.entry("bearer.auth.credentials.source", SCHEMAS),
          Map.entry("bearer.auth.token", SCHEMAS),
          Map.entry("auto.register.schemas", "the node registers no schemas"),
          Map.entry("use.latest.version", "the node publishes with the latest schema"),
          Map.entry("key.subject.name.strategy", "the node uses no schemas of keys"),
          Map.entry("value.subject.name.strategy", SUBJECT));

  private KafkaProperties() {}
}
