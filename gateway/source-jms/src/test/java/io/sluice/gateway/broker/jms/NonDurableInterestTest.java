package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.jms.message.KeyProperties;
import io.sluice.gateway.broker.provider.BrokerNames;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicRules;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Places of the gaps for messages that the broker has discarded. */
final class NonDurableInterestTest {
  private static final int LOW = 1;
  private static final int HIGH = 9;

  private final Exposition exposition = new Exposition("non-durable-interest-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final BrokerEvents events = new BrokerEvents();
  private final ScriptedProvider provider = new ScriptedProvider();

  /** Broker whose deliveries and reports the test determines. */
  private static final class ScriptedProvider implements Provider {
    private static final Wildcards WILDCARDS = new Wildcards("*", ">", ".");

    private MessageListener listener;
    private LongConsumer discards;

    private final MessageConsumer consumer =
        (MessageConsumer)
            Proxy.newProxyInstance(
                NonDurableInterestTest.class.getClassLoader(),
                new Class<?>[] {MessageConsumer.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("setMessageListener")) {
                    listener = (MessageListener) arguments[0];
                  }
                  return null;
                });

    @Override
    public Connection connect(int index, Runnable onLost) {
      throw new AssertionError();
    }

    @Override
    public Wildcards wildcards() {
      return WILDCARDS;
    }

    @Override
    public void onDiscard(MessageConsumer of, LongConsumer action) {
      discards = action;
    }

    @Override
    public long sequence(Message message) {
      return ((ActiveMQTextMessage) message).getMessageId().getBrokerSequenceId();
    }

    private void deliver(long number, int priority) throws JMSException {
      ActiveMQTextMessage message = new ActiveMQTextMessage();
      message.setJMSMessageID("ID:a:1:1:" + number);
      message.getMessageId().setBrokerSequenceId(number);
      message.setJMSPriority(priority);
      message.setText(String.valueOf(number));
      listener.onMessage(message);
    }

    private void deliver(long number) throws JMSException {
      deliver(number, LOW);
    }
  }

  @BeforeEach
  void open() throws JMSException {
    InterestKey key = InterestKey.of("few");
    BrokerNames names =
        new BrokerNames(ScriptedProvider.WILDCARDS, name -> true, new TopicRules(255, 16));
    MessageReader.Rules rules =
        new MessageReader.Rules(
            provider,
            names,
            List.of(),
            KeyProperties.NONE,
            1_024,
            (topic, name) -> false,
            new RefusedMessages(() -> 0),
            metrics);
    new NonDurableInterest(null, key, events.topicWithTexts("few"))
        .begin(
            new OpenedConsumer(
                new ConsumerSession(ConsumerOpenerTest.connection(), 1),
                provider.consumer,
                Provider.UNKNOWN),
            provider,
            new MessageReader(rules, key, () -> {}));
  }

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private void assertEvents(String... expected) {
    assertThat(events.list().stream().map(event -> event.substring("few ".length())))
        .containsExactly(expected);
  }

  @Test
  void shouldReportAGapAtTheReportAndAtThePlaceOfEachDiscardedMessage() throws JMSException {
    provider.deliver(1);
    provider.discards.accept(10);
    provider.discards.accept(20);
    provider.deliver(5);
    provider.deliver(15);
    provider.deliver(16);
    provider.deliver(25);

    assertEvents("active", "1", "missed", "missed", "5", "missed", "15", "16", "missed", "25");
  }

  @Test
  void shouldReportALateReportWhileAnotherOneWaits() throws JMSException {
    provider.discards.accept(20);
    provider.deliver(15);
    provider.discards.accept(12);

    assertEvents("active", "missed", "15", "missed");
  }

  @Test
  void shouldReportTheLastMessagesWithoutAFurtherDelivery() throws JMSException {
    provider.deliver(1);
    provider.discards.accept(2);
    provider.discards.accept(3);

    assertEvents("active", "1", "missed", "missed");
  }

  @Test
  void shouldReportAGapBehindMessagesThatWereOvertaken() throws JMSException {
    provider.deliver(1);
    provider.discards.accept(20);
    provider.deliver(30, HIGH);
    provider.deliver(12);
    provider.deliver(22);

    assertEvents("active", "1", "missed", "missed", "30", "12", "missed", "22");
  }
}
