package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that a client has when the node ends its connection for queues. */
@Timeout(180)
final class DiscardIT {
  private static final String QUEUE = "orders";
  private static final long LONG_S = 60;

  private final ExecutorService executor = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    executor.shutdownNow();
  }

  private Message receive(Connection connection, Provider provider, boolean[] redelivered)
      throws Exception {
    BlockingQueue<Message> arrived = new LinkedBlockingQueue<>();
    QueueSession session =
        provider.queueSession(
            connection, QUEUE, null, (message, failure) -> arrived.add(message), executor);
    session.request();
    Message message = arrived.poll(LONG_S, TimeUnit.SECONDS);
    redelivered[0] = session.isRedelivered(message);
    return message;
  }

  private static void send(Provider provider, Connection connection) throws JMSException {
    try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      session.createProducer(provider.queue(session, QUEUE)).send(session.createTextMessage("x"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldMarkMessagesOfADiscardedConnectionAsRedelivered(String name) throws Exception {
    try (TestBroker broker = TestBroker.start(name)) {
      Provider provider =
          ProviderOptions.of(
                  Config.defaults()
                      .with(BrokerSettings.PROVIDER, name)
                      .with(BrokerSettings.URL, broker.url()))
              .newProvider();
      Connection connection = provider.connect(Provider.QUEUES, () -> {});
      connection.start();
      send(provider, connection);
      boolean[] redelivered = new boolean[1];
      assertThat(receive(connection, provider, redelivered)).isNotNull();
      assertThat(redelivered[0]).isFalse();

      provider.discard(connection);

      try (Connection next = provider.connect(Provider.QUEUES, () -> {})) {
        next.start();
        assertThat(receive(next, provider, redelivered)).isNotNull();
        assertThat(redelivered[0]).isTrue();
      }
    }
  }
}
