package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.TopicSubscription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SubscriptionNameTest {
  static TopicSubscription[] subscriptions() {
    return new TopicSubscription[] {
      new TopicSubscription("ann", "orders.eu", "desk-1", true),
      new TopicSubscription("", "orders", "_", true),
      new TopicSubscription("_", "a.*.c_.>", "a_b", true),
      new TopicSubscription("__", "VirtualTopic.a", "__", true),
      new TopicSubscription("CN=ann.b, O='Example'", "a'b.c", "x", true),
      new TopicSubscription("\u20ac\ud83d\ude00\ud83d", "\u00fc.\ud83d\ude00", "x", true),
      new TopicSubscription("%".repeat(255), "\u20ac".repeat(255), "x".repeat(64), true),
    };
  }

  @ParameterizedTest
  @MethodSource("subscriptions")
  void shouldRestoreASubscriptionFromItsName(TopicSubscription subscription) {
    String name = SubscriptionName.of(subscription);
    assertThat(name).matches("sluice\\.durable\\.[A-Za-z0-9_.-]+");
    assertThat(SubscriptionName.durable(name)).isEqualTo(subscription);
    assertThat(SubscriptionName.isReserved(name)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("subscriptions")
  void shouldRestoreASubscriptionFromAQueueOfAVirtualTopic(TopicSubscription subscription) {
    String name = SubscriptionName.ofVirtual(subscription);
    assertThat(name).matches("Consumer\\.[A-Za-z0-9_-]+\\..+");
    assertThat(SubscriptionName.virtual(name)).isEqualTo(subscription);
    assertThat(SubscriptionName.isReserved(name)).isTrue();
  }

  @Test
  void shouldBeReadable() {
    TopicSubscription durable = new TopicSubscription("ann@a.b", "orders.>", "desk_1", true);
    TopicSubscription shared = new TopicSubscription("ann", "orders", "desk", false);
    assertThat(SubscriptionName.of(durable))
        .isEqualTo("sluice.durable.ann_0040a_002eb.desk_005f1.orders._003e");
    assertThat(SubscriptionName.of(shared)).isEqualTo("sluice.shared.ann.desk.orders");
    assertThat(SubscriptionName.ofVirtual(durable))
        .isEqualTo("Consumer.sluice__ann_0040a_002eb__desk_005f1.orders.>");
    assertThat(SubscriptionName.isReserved(SubscriptionName.of(shared))).isTrue();
    assertThat(SubscriptionName.ofNode("gw-1", "orders.>"))
        .isEqualTo("sluice.durable._.gw-1.orders._003e");
    assertThat(SubscriptionName.isReserved("sluice.durables")).isTrue();
    assertThat(SubscriptionName.isReserved("sluice.other")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "orders",
        "sluice.shared.ann.desk.orders",
        "sluice.durable.ann",
        "sluice.durable.ann.desk",
        "sluice.durable._.gw-1.orders",
        "sluice.durable.a_00.desk.orders",
        "sluice.durable.a_00zz.desk.orders",
        "Consumer.ann.VirtualTopic.orders",
        "Consumer.sluice__ann.VirtualTopic.orders",
        "Consumer.sluice__ann__desk",
      })
  void shouldNotReadOtherNames(String name) {
    assertThat(SubscriptionName.durable(name)).isNull();
    assertThat(SubscriptionName.virtual(name)).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {107, 108, 300})
  void shouldFitTheNamesOfJms(int length) {
    String topic = "t".repeat(length);
    String name = JmsSubscriptions.name(new TopicSubscription("ann", topic, "x", true));
    String other = JmsSubscriptions.name(new TopicSubscription("ann", topic, "y", true));
    assertThat(name).hasSizeLessThanOrEqualTo(128).startsWith("sluice.durable.");
    assertThat(name.endsWith(topic)).as("readable if it fits").isEqualTo(length == 107);
    assertThat(other).isNotEqualTo(name);
    assertThat(JmsSubscriptions.name(new TopicSubscription("ann", topic, "x", false)))
        .startsWith("sluice.shared.");
  }
}
