package io.sluice.gateway.broker.kafka;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/**
 * Mapping between topics of clients and Kafka topics. A plain Kafka topic is one topic. A keyed one
 * has a topic for each record key, and the topic with its name for records without a key.
 * Immutable, for any thread.
 */
final class KafkaNames {
  private final Set<String> plain;
  private final List<String> keyed;
  private final TopicRules rules;

  /**
   * Kafka topic of a topic or pattern.
   *
   * @param key key of records to publish; null for none, and for plain topics and patterns
   */
  record Route(String kafkaTopic, boolean keyed, String key) {}

  KafkaNames(List<String> plain, List<String> keyed, TopicRules rules) {
    this.plain = Set.copyOf(plain);
    this.keyed = List.copyOf(keyed);
    this.rules = rules;
  }

  /** Returns the Kafka topic of a topic or pattern; null if it is not served. */
  Route route(String topic) {
    if (plain.contains(topic)) {
      return new Route(topic, false, null);
    }
    for (String name : keyed) {
      if (topic.equals(name)) {
        return new Route(name, true, null);
      }
      if (topic.startsWith(name) && topic.charAt(name.length()) == '.') {
        boolean pattern = TopicPattern.isPattern(topic);
        return new Route(name, true, pattern ? null : topic.substring(name.length() + 1));
      }
    }
    return null;
  }

  /** Returns the reason for which a topic or pattern has no {@link #route}. */
  static String refusal(String topic) {
    return TopicPattern.isPattern(topic)
        ? "a pattern must lie within one topic of kafka.keyed-topics"
        : "the topic is neither in kafka.topics nor below one in kafka.keyed-topics";
  }

  /**
   * Returns the topic of a record of a keyed topic.
   *
   * @return null if the key does not consist of levels of a topic
   */
  String topic(String kafkaTopic, byte[] key) {
    if (key == null || key.length == 0) {
      return kafkaTopic;
    }
    String topic = isText(key) ? kafkaTopic + '.' + new String(key, StandardCharsets.UTF_8) : null;
    return topic == null || rules.checkTopic(topic) != null ? null : topic;
  }

  /** Returns whether bytes are UTF-8. */
  static boolean isText(byte[] bytes) {
    return ByteBufUtil.isText(Unpooled.wrappedBuffer(bytes), StandardCharsets.UTF_8);
  }
}
