package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses of a real Artemis whose new queues discard messages by default. */
final class ArtemisDiscardsIT {
  private static final int COUNT = 200;
  private static final String TOPIC = "few.1";

  private static void publish(ArtemisProcess server) throws JMSException {
    try (TestPublisher publisher = new TestPublisher("artemis", server.url())) {
      for (int i = 0; i < COUNT; i++) {
        TextMessage message = publisher.session().createTextMessage(String.valueOf(i));
        message.setStringProperty("key", "one");
        publisher.send(TOPIC, message);
      }
    }
  }

  private static List<String> all() {
    return IntStream.range(0, COUNT).mapToObj(String::valueOf).toList();
  }

  private static Provider provider(ArtemisProcess server) {
    return ProviderOptions.of(
            Config.defaults()
                .with(BrokerSettings.URL, server.url())
                .with(BrokerSettings.CLIENT_ID, "node"))
        .newProvider();
  }

  private record Texts(List<String> list) implements Provider.Listener {
    @Override
    public void onMessage(Message message) {
      try {
        list.add(((TextMessage) message).getText());
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void onUndecodable(long sequence, int priority, Throwable cause) {
      list.add("undecodable");
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"defaultRingSize\":5}",
        "{\"defaultLastValueQueue\":true,\"defaultLastValueKey\":\"key\"}",
        "{\"defaultConsumersBeforeDispatch\":5,\"defaultDelayBeforeDispatch\":600000}"
      })
  void shouldDeliverAllMessagesOfATopic(String settings) throws Exception {
    try (ArtemisProcess server = ArtemisProcess.start()) {
      server.configure("few.#", settings);
      Provider provider = provider(server);
      Connection connection = provider.connect(0, () -> {}); // not started: messages wait
      Session session = provider.session(connection, Session.DUPS_OK_ACKNOWLEDGE);
      MessageConsumer consumer = provider.consumer(session, provider.topic(session, TOPIC), null);
      publish(server);
      Texts texts = new Texts(new CopyOnWriteArrayList<>());
      consumer.setMessageListener(texts);
      connection.start();

      await().atMost(Duration.ofMinutes(2)).until(() -> texts.list.size() == COUNT);
      assertThat(texts.list).isEqualTo(all());
      connection.close();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"defaultRingSize\":5}",
        "{\"defaultLastValueQueue\":true,\"defaultLastValueKey\":\"key\"}"
      })
  void shouldDeliverAllMessagesOfADurableTopic(String settings) throws Exception {
    try (ArtemisProcess server = ArtemisProcess.start()) {
      server.configure("few.#", settings);
      Provider provider = provider(server);
      Connection connection = provider.connect(0, () -> {});
      Session session = provider.session(connection, Session.CLIENT_ACKNOWLEDGE);
      MessageConsumer consumer =
          provider.durableConsumer(session, provider.topic(session, TOPIC), TOPIC);
      publish(server);
      connection.start();
      List<String> texts = new ArrayList<>();
      while (texts.size() < COUNT) {
        Message next = consumer.receive(20_000);
        texts.add(((TextMessage) next).getText());
        next.acknowledge();
      }

      assertThat(texts).isEqualTo(all());
      connection.close();
    }
  }

  private static List<String> risks(
      ArtemisProcess server, List<String> topics, List<String> durable) throws Exception {
    Provider provider = provider(server);
    Connection connection = provider.connect(0, () -> {});
    try {
      return provider.discardRisks(connection, topics, durable).stream()
          .map(risk -> risk.address() + " " + risk.setting() + " " + risk.value())
          .toList();
    } finally {
      connection.close();
    }
  }

  @Test
  void shouldFindSettingsThatDiscardMessages() throws Exception {
    try (ArtemisProcess server = ArtemisProcess.start()) {
      assertThat(risks(server, List.of("few.1", "few.>"), List.of())).isEmpty();
      server.configure(
          "few.#",
          "{\"addressFullMessagePolicy\":\"DROP\",\"maxSizeBytes\":100000,"
              + "\"pageSizeBytes\":10000,\"expiryDelay\":5000,\"slowConsumerPolicy\":\"KILL\","
              + "\"slowConsumerThreshold\":10}");
      assertThat(risks(server, List.of("few.1", "other"), List.of()))
          .containsExactly(
              "few.1 address-full-policy DROP",
              "few.1 expiry-delay 5000",
              "few.1 slow-consumer-policy KILL");
    }
  }

  @Test
  void shouldFindSettingsOfTheTopicsOfAPattern() throws Exception {
    try (ArtemisProcess server = ArtemisProcess.start();
        TestPublisher publisher = new TestPublisher("artemis", server.url())) {
      publisher.text("few.1", "");
      server.configure("few.1", "{\"pageFullMessagePolicy\":\"DROP\"}");
      assertThat(risks(server, List.of("few.>"), List.of()))
          .containsExactly("few.1 page-full-policy DROP");
    }
  }

  @Test
  void shouldFindDurableSubscriptionsThatOthersHaveCreated() throws Exception {
    try (ArtemisProcess server = ArtemisProcess.start()) {
      server.configure("few.#", "{\"defaultRingSize\":5}");
      try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(server.url());
          Connection other = factory.createConnection()) {
        other.setClientID("node");
        Session session = other.createSession(false, Session.AUTO_ACKNOWLEDGE);
        session.createDurableSubscriber(session.createTopic(TOPIC), TOPIC).close();
      }
      assertThat(risks(server, List.of(TOPIC), List.of(TOPIC)))
          .containsExactly("node.few\\.1 ring-size 5");
    }
  }
}
