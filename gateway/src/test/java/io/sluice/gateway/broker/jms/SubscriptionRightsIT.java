package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.jms.QueueScene.Client;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.ArtemisProcess;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Subscriptions of clients at an Artemis whose user has only the permissions that
 * docs/reference/security.md lists. The broker has Artemis' default configuration, which deletes
 * unused addresses and queues.
 */
@Timeout(180)
final class SubscriptionRightsIT {
  private static final String RECORDS =
      "sluice.durables=send,consume,browse,createAddress,createDurableQueue";
  private static final String DURABLE =
      "orders.#=consume,createAddress,createDurableQueue,deleteDurableQueue";
  private static final String SHARED =
      "trades.#=consume,createAddress,createNonDurableQueue,deleteNonDurableQueue";
  private static final TopicSubscription DESK = durable("orders.eu");
  private static final TopicSubscription WORKERS =
      new TopicSubscription("ann", "trades.eu", "workers", false);

  private static TopicSubscription durable(String topic) {
    return new TopicSubscription("ann", topic, "desk", true);
  }

  private static ArtemisProcess broker(String... grants) {
    List<String> options = new ArrayList<>(List.of("--user", "node", "--password", "secret"));
    options.addAll(List.of("--grant", "#="));
    for (String grant : grants) {
      options.addAll(List.of("--grant", grant));
    }
    return ArtemisProcess.start(options.toArray(String[]::new));
  }

  private static Config config(ArtemisProcess broker) {
    return PublishScene.config("artemis", broker.url())
        .with(BrokerSettings.USER, "node")
        .with(BrokerSettings.PASSWORD, "secret");
  }

  @Test
  void shouldServeSubscriptionsWithTheDocumentedPermissions() throws Exception {
    try (ArtemisProcess broker = broker(RECORDS, DURABLE, SHARED);
        QueueScene scene = new QueueScene(config(broker))) {
      Client desk = scene.consume(DESK, 1);
      Client workers = scene.consume(WORKERS, 1);
      for (String topic : List.of("orders.eu", "trades.eu")) {
        QueueScene.publish(new ActiveMQConnectionFactory(broker.url()), topic, "a");
      }
      assertThat(List.of(desk.next(), workers.next())).containsExactly("a#1", "a#1");
      assertThat(scene.list("ann", 10)).hasSize(1);

      desk.consumer().close();
      workers.consumer().close();
      await().until(() -> scene.meters().consumers() == 0);
      assertThat(scene.delete(DESK)).isEqualTo("deleted");
    }
  }

  @Test
  void shouldRefuseSubscriptionsWithoutThem() throws Exception {
    try (ArtemisProcess broker = broker(DURABLE, RECORDS);
        QueueScene scene = new QueueScene(config(broker))) {
      String denied = "refused forbidden: the broker denies access to this topic";
      assertThat(scene.open(WORKERS, null, 1).next()).isEqualTo(denied);
      assertThat(scene.open(durable("trades.eu"), null, 1).next()).isEqualTo(denied);
      assertThat(scene.list(null, 10)).isEmpty();
    }
  }

  @Test
  void shouldRefuseDurableSubscriptionsWithoutARecord() throws Exception {
    try (ArtemisProcess broker = broker(DURABLE);
        QueueScene scene = new QueueScene(config(broker))) {
      assertThat(scene.open(DESK, null, 1).next())
          .isEqualTo("refused forbidden: the broker denies access to this topic");
    }
  }
}
