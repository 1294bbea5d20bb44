package io.sluice.gateway.broker.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.BrokerNames;
import io.sluice.gateway.broker.provider.SubscriptionLimits;
import io.sluice.gateway.broker.provider.SubscriptionRefusal;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A consumer of a subscription, where it differs from one of a queue. */
final class SubscriptionConsumerTest {
  private static final TopicSubscription DESK = new TopicSubscription("ann", "a", "desk", true);
  private static final TopicSubscription WORKERS = new TopicSubscription("ann", "a", "w", false);

  private final Exposition exposition = new Exposition("consumer");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final ScriptedOwner owner = new ScriptedOwner();
  private final ScriptedLink link = new ScriptedLink();
  private final List<String> events = new ArrayList<>();

  private final class Client implements QueueListener {
    @Override
    public void onConsuming() {
      events.add("consuming");
    }

    @Override
    public void onDelivery(QueueDelivery delivery) {
      events.add(delivery.topic() + " #" + delivery.tag());
    }

    @Override
    public void onReleased(long tag, ReleaseReason reason) {
      events.add("released " + tag + " " + reason.code());
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add(code.code() + ": " + why);
    }
  }

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private ConsumerActor open(TopicSubscription subscription) {
    DeliveryReader reader =
        new DeliveryReader(
                message -> new Message("queues", 1, 100, PayloadKind.TEXT, new byte[1], null),
                new BrokerNames(
                    new Wildcards("*", ">", "/"), name -> true, new TopicRules(255, 16)))
            .ofPattern("a.>", message -> "a/b");
    ConsumerActor consumer =
        new ConsumerActor(
            owner,
            new QueueRequest(Requester.NODE, subscription, null, 2),
            new Client(),
            reader,
            new QueueOptions(1_000, 1_000, "", 10, new SubscriptionLimits(60_000, 10)),
            metrics.queues());
    consumer.onConnected(link);
    link.run();
    return consumer;
  }

  private List<String> events() {
    List<String> happened = List.copyOf(events);
    events.clear();
    return happened;
  }

  private void refuse(JMSException failure) {
    link.fail(failure);
    open(DESK);
  }

  @Test
  void shouldExplainWhyItIsNotOpened() {
    refuse(new SubscriptionRefusal(ErrorCode.UNSUPPORTED, "no patterns"));
    refuse(new InvalidDestinationException("none"));
    refuse(new JMSSecurityException("no right"));
    refuse(new JMSException("closed"));

    assertThat(events())
        .containsExactly(
            "unsupported: no patterns",
            "unknown-topic: the broker has no such topic",
            "forbidden: the broker denies access to this topic",
            "broker-unavailable: the broker cannot serve this topic at the moment");
  }

  @Test
  void shouldNameTheTopicOfAMessage() {
    open(DESK);
    link.session().deliver("m", false);

    assertThat(events()).containsExactly("consuming", "a.b #1");
  }

  @Test
  void shouldReportEachLossOfASharedSubscriptionOnce() {
    ConsumerActor consumer = open(WORKERS);
    assertThat(events()).containsExactly("consuming");

    consumer.onLost("the broker is not connected");
    assertThat(events()).containsExactly("released 0 broker-lost");
    consumer.onLost("the broker is not connected");
    assertThat(events()).isEmpty();

    consumer.onConnected(link);
    link.run();
    consumer.onLost("the broker is not connected");
    assertThat(events()).containsExactly("released 0 broker-lost");
  }

  @Test
  void shouldReportNoLossOfADurableSubscriptionWithoutPendingMessages() {
    ConsumerActor consumer = open(DESK);
    consumer.onLost("the broker is not connected");

    assertThat(events()).containsExactly("consuming");
  }
}
