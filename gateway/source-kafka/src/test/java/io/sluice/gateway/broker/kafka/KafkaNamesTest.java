package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.kafka.KafkaNames.Mapping;
import io.sluice.gateway.broker.kafka.KafkaNames.Route;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Tests of the mapping between topics and Kafka topics. */
final class KafkaNamesTest {
  private final KafkaNames names =
      new KafkaNames(
          List.of("news.eu"), List.of("orders"), List.of("parts"), new TopicRules(100, 8));

  @Test
  void shouldRouteTopicsAndPatterns() {
    assertThat(names.route("news.eu"))
        .isEqualTo(new Route("news.eu", Mapping.PLAIN, null, Route.ALL));
    assertThat(names.route("orders"))
        .isEqualTo(new Route("orders", Mapping.KEYED, null, Route.ALL));
    assertThat(names.route("orders.eu.7"))
        .isEqualTo(new Route("orders", Mapping.KEYED, "eu.7", Route.ALL));
    assertThat(names.route("orders.*.7"))
        .isEqualTo(new Route("orders", Mapping.KEYED, null, Route.ALL));
    assertThat(names.route("orders.>"))
        .isEqualTo(new Route("orders", Mapping.KEYED, null, Route.ALL));
    assertThat(names.route("parts.10"))
        .isEqualTo(new Route("parts", Mapping.PARTITIONED, null, 10));
    assertThat(names.route("parts.*"))
        .isEqualTo(new Route("parts", Mapping.PARTITIONED, null, Route.ALL));
  }

  @Test
  void shouldRouteNoOtherTopics() {
    for (String topic :
        List.of(
            "news",
            "news.eu.7",
            "news.*",
            "ordersX",
            "*.eu",
            ">",
            "parts",
            "parts.01",
            "parts.-1",
            "parts.a",
            "parts.1.2",
            "parts.123456")) {
      assertThat(names.route(topic)).as(topic).isNull();
    }
  }

  private String topic(Mapping mapping, byte[] key) {
    return names.topic(mapping, new ConsumerRecord<>("orders", 3, 0, key, null));
  }

  @Test
  void shouldMapKeysThatAreLevels() {
    assertThat(topic(Mapping.KEYED, "eu.7".getBytes(UTF_8))).isEqualTo("orders.eu.7");
    assertThat(topic(Mapping.KEYED, null)).isEqualTo("orders");
    assertThat(topic(Mapping.KEYED, new byte[0])).isEqualTo("orders");
    for (String key : List.of("a b", "a..b", "*", "a/b")) {
      assertThat(topic(Mapping.KEYED, key.getBytes(UTF_8))).as(key).isNull();
    }
    assertThat(topic(Mapping.KEYED, new byte[] {(byte) 0xff})).isNull();
  }

  @Test
  void shouldMapPartitions() {
    assertThat(topic(Mapping.PARTITIONED, new byte[] {(byte) 0xff})).isEqualTo("orders.3");
    assertThat(topic(Mapping.PLAIN, null)).isEqualTo("orders");
  }
}
