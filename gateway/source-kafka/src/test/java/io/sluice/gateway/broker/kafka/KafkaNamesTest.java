package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.kafka.KafkaNames.Route;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the mapping between topics and Kafka topics. */
final class KafkaNamesTest {
  private final KafkaNames names =
      new KafkaNames(List.of("news.eu"), List.of("orders"), new TopicRules(100, 8));

  @Test
  void shouldRouteTopicsAndPatterns() {
    assertThat(names.route("news.eu")).isEqualTo(new Route("news.eu", false, null));
    assertThat(names.route("orders")).isEqualTo(new Route("orders", true, null));
    assertThat(names.route("orders.eu.7")).isEqualTo(new Route("orders", true, "eu.7"));
    assertThat(names.route("orders.*.7")).isEqualTo(new Route("orders", true, null));
    assertThat(names.route("orders.>")).isEqualTo(new Route("orders", true, null));
  }

  @Test
  void shouldRouteNoOtherTopics() {
    for (String topic : List.of("news", "news.eu.7", "news.*", "ordersX", "*.eu", ">")) {
      assertThat(names.route(topic)).as(topic).isNull();
    }
  }

  @Test
  void shouldMapKeysThatAreLevels() {
    assertThat(names.topic("orders", "eu.7".getBytes(UTF_8))).isEqualTo("orders.eu.7");
    assertThat(names.topic("orders", null)).isEqualTo("orders");
    assertThat(names.topic("orders", new byte[0])).isEqualTo("orders");
    for (String key : List.of("a b", "a..b", "*", "a/b")) {
      assertThat(names.topic("orders", key.getBytes(UTF_8))).as(key).isNull();
    }
    assertThat(names.topic("orders", new byte[] {(byte) 0xff})).isNull();
  }
}
