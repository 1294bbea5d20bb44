package io.sluice.gateway.broker.jms;

import static io.sluice.gateway.broker.jms.QueueScene.SETTLED;
import static io.sluice.gateway.protocol.Settlement.ACK;
import static io.sluice.gateway.protocol.Settlement.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.jms.QueueScene.Client;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.testkit.ArtemisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of Artemis' core clients, whose priorities are not limited to those of JMS. */
@Timeout(180)
final class PriorityIT {
  private static final List<Integer> PRIORITIES = List.of(4, 10, -3, 127, -128, 0);

  private static final Duration LONG = Duration.ofSeconds(60);

  /** Time after which a message is sent again. */
  private static final long REPEAT_MS = 300;

  private final Exposition exposition = new Exposition("priority-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private ArtemisProcess server;
  private ClientSession session;

  @BeforeEach
  void start() throws Exception {
    server = ArtemisProcess.start();
    session =
        ActiveMQClient.createServerLocator(server.url()).createSessionFactory().createSession();
  }

  @AfterEach
  void stop() throws Exception {
    session.getSessionFactory().getServerLocator().close();
    server.close();
    metrics.close();
    exposition.close();
  }

  private void send(String address, RoutingType type, int priority) throws Exception {
    try (ClientProducer producer = session.createProducer(address)) {
      ClientMessage message = session.createMessage(Message.TEXT_TYPE, true);
      message.setRoutingType(type);
      message.setPriority((byte) priority);
      message.getBodyBuffer().writeNullableSimpleString(SimpleString.of(String.valueOf(priority)));
      producer.send(message);
    }
  }

  // The broker loses such a message unless it can pass it to a consumer at once.
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "plugged-artemis"})
  void shouldDeliverMessagesOfAnyPriorityFromAQueue(String client) throws Exception {
    try (QueueScene scene = new QueueScene(PublishScene.config(client, server.url()))) {
      Client consumer = scene.consume("orders", 1);
      int tag = 0;
      for (int priority : PRIORITIES) {
        boolean delivered = false;
        while (!delivered) {
          send("orders", RoutingType.ANYCAST, priority);
          for (String event = consumer.next(REPEAT_MS);
              event != null;
              event = consumer.next(REPEAT_MS)) {
            tag++;
            assertThat(event).isEqualTo(priority + "#" + tag);
            assertThat(consumer.settle(tag % 2 == 0 ? ACK : REJECT, tag)).isEqualTo(SETTLED);
            delivered = true;
          }
        }
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "plugged-artemis"})
  void shouldDeliverMessagesOfAnyPriorityFromATopic(String client) throws Exception {
    ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
    BrokerEvents events = new BrokerEvents();
    JmsBroker broker =
        new JmsBroker(
            JmsOptions.of(PublishScene.config(client, server.url())),
            QueueSupport.ABSENT,
            control,
            events,
            metrics);
    try {
      control.submit(broker::start).get();
      control.submit(() -> broker.open(InterestKey.of("stocks"), events.topicWithTexts("")));
      await().atMost(LONG).until(() -> events.list().contains(" active"));
      for (int priority : PRIORITIES) {
        await()
            .pollInterval(Duration.ofMillis(REPEAT_MS))
            .atMost(LONG)
            .until(
                () -> {
                  send("stocks", RoutingType.MULTICAST, priority);
                  return events.list().contains(" " + priority);
                });
      }
      assertThat(events.list()).doesNotContain("lost", " missed", " active again");
      control.submit(broker::stop).get();
    } finally {
      control.shutdown();
    }
  }
}
