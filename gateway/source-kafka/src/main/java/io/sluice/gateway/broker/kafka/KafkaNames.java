package io.sluice.gateway.broker.kafka;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Mapping between topics of clients and Kafka topics. Immutable, for any thread. */
final class KafkaNames {
  private static final Pattern PARTITION = Pattern.compile("0|[1-9]\\d{0,4}");

  private final Map<String, Mapping> topics = new HashMap<>();
  private final TopicRules rules;

  /** Topics of the records of a Kafka topic. */
  enum Mapping {
    /** All records have the name of the Kafka topic. */
    PLAIN,

    /** Each record key is a topic; records without a key have the name of the Kafka topic. */
    KEYED,

    /** Each partition is a topic. */
    PARTITIONED
  }

  /**
   * Kafka topic of a topic or pattern.
   *
   * @param key key of records to publish; null for none, for patterns and without keyed topics
   * @param partition the only partition, or {@link #ALL}
   */
  record Route(String kafkaTopic, Mapping mapping, String key, int partition) {
    static final int ALL = -1;

    boolean isKeyed() {
      return mapping == Mapping.KEYED;
    }

    /** Returns whether it has records of a partition. */
    boolean covers(int number) {
      return partition == ALL || partition == number;
    }
  }

  KafkaNames(List<String> plain, List<String> keyed, List<String> partitioned, TopicRules rules) {
    plain.forEach(name -> topics.put(name, Mapping.PLAIN));
    keyed.forEach(name -> topics.put(name, Mapping.KEYED));
    partitioned.forEach(name -> topics.put(name, Mapping.PARTITIONED));
    this.rules = rules;
  }

  /** Returns the Kafka topic of a topic or pattern; null if it is not served. */
  Route route(String topic) {
    Mapping exact = topics.get(topic);
    if (exact != null && exact != Mapping.PARTITIONED) {
      return new Route(topic, exact, null, Route.ALL);
    }
    for (int dot = topic.lastIndexOf('.'); dot > 0; dot = topic.lastIndexOf('.', dot - 1)) {
      String name = topic.substring(0, dot);
      Mapping mapping = topics.get(name);
      if (mapping != null && mapping != Mapping.PLAIN) {
        return below(name, mapping, topic);
      }
    }
    return null;
  }

  private static Route below(String name, Mapping mapping, String topic) {
    String rest = topic.substring(name.length() + 1);
    if (TopicPattern.isPattern(topic)) {
      return new Route(name, mapping, null, Route.ALL);
    }
    if (mapping == Mapping.KEYED) {
      return new Route(name, mapping, rest, Route.ALL);
    }
    return PARTITION.matcher(rest).matches()
        ? new Route(name, mapping, null, Integer.parseInt(rest))
        : null;
  }

  /** Returns the reason for which a topic or pattern has no {@link #route}. */
  static String refusal(String topic) {
    return TopicPattern.isPattern(topic)
        ? "a pattern must lie within one topic of kafka.keyed-topics or kafka.partition-topics"
        : "the topic is neither in kafka.topics nor below one in kafka.keyed-topics, nor a partition"
            + " of one in kafka.partition-topics";
  }

  /**
   * Returns the topic of a record.
   *
   * @return null if the key of a keyed topic does not consist of levels of a topic
   */
  String topic(Mapping mapping, ConsumerRecord<byte[], byte[]> record) {
    return switch (mapping) {
      case PLAIN -> record.topic();
      case KEYED -> topic(record.topic(), record.key());
      case PARTITIONED -> record.topic() + '.' + record.partition();
    };
  }

  private String topic(String kafkaTopic, byte[] key) {
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
