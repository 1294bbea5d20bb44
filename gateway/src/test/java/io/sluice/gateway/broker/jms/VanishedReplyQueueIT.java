package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replies to a temporary queue that its requestor deletes before the reply is sent. */
@Timeout(180)
final class VanishedReplyQueueIT {
  private static final long LONG_MS = 60_000;

  private final Exposition exposition = new Exposition("vanished-reply-queue-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private BrittleProvider provider;
  private JmsPublisher publisher;

  private void start(TestBroker server, String mode) {
    Config config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, server.provider())
            .with(BrokerSettings.URL, server.url())
            .with(BrokerSettings.PUBLISH_MODE, mode);
    provider = new BrittleProvider(ProviderOptions.of(config).newProvider());
    publisher =
        new JmsPublisher(
            PublishLimits.of(config),
            provider,
            false,
            new Backoff(0, 0, RandomGenerator.getDefault()),
            metrics);
    publisher.start();
    publisher.onBrokerConnected();
  }

  @AfterEach
  void stop() {
    publisher.stop();
    metrics.close();
    exposition.close();
  }

  private PublishOutcome reply(Destination to) {
    PublishOutcome outcome = new PublishOutcome();
    publisher.publish(
        new Publication("none", PayloadKind.TEXT, new byte[] {'a'}, Map.of()),
        RequestHeaders.reply(to, "17"),
        outcome);
    return outcome;
  }

  /** Returns a reply destination as the responder receives it. */
  private static Destination received(Session session, TemporaryQueue replies) throws JMSException {
    Queue requests = session.createQueue("requests");
    Message request = session.createTextMessage("question");
    request.setJMSReplyTo(replies);
    session.createProducer(requests).send(request);
    try (MessageConsumer consumer = session.createConsumer(requests)) {
      return consumer.receive(LONG_MS).getJMSReplyTo();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource({"artemis, auto", "artemis, batch", "classic, auto", "classic, batch"})
  void shouldCreateNoReplyQueueThatItsRequestorHasDeleted(String client, String mode)
      throws Exception {
    try (TestBroker server = TestBroker.start(client);
        Connection jms = JmsResponder.connect(server)) {
      start(server, mode);
      jms.start();
      Session session = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
      TemporaryQueue replies = session.createTemporaryQueue();
      Destination to = received(session, replies);
      assertThat(reply(to).await()).isEqualTo("published");
      try (MessageConsumer consumer = session.createConsumer(replies)) {
        assertThat(consumer.receive(LONG_MS).getJMSCorrelationID()).isEqualTo("17");
      }
      String address = replies.getQueueName();
      provider.onChecked = replies::delete; // between the check and the send

      assertThat(reply(received(session, replies)).await())
          .isEqualTo(ErrorCode.NO_RECIPIENT.code());
      if (server instanceof ArtemisProcess artemis) {
        assertThat(artemis.consumers(address)).as("queues of the address").isZero();
      }
      provider.onChecked = BrittleProvider.Fault.NONE;
      TemporaryQueue other = session.createTemporaryQueue();
      assertThat(reply(received(session, other)).await()).isEqualTo("published");
    }
  }
}
