package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.broker.jms.message.KeyProperties;
import io.sluice.gateway.broker.provider.BrokerNames;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.testkit.LoggedEvents;
import jakarta.jms.Connection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.activemq.command.ActiveMQMapMessage;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.command.ActiveMQObjectMessage;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.junit.jupiter.api.Test;

/** Messages that have the marker of a removal, as topics and queues read them. */
final class MessageReaderTest {
  private static final String REMOVAL = "deleted";

  private static final Provider PROVIDER =
      new Provider() {
        @Override
        public Connection connect(int index, Runnable onLost) {
          throw new UnsupportedOperationException();
        }

        @Override
        public Wildcards wildcards() {
          throw new UnsupportedOperationException();
        }
      };

  private static final BrokerNames NAMES =
      new BrokerNames(new Wildcards("*", ">", "."), name -> true, new TopicRules(255, 16));

  private static ActiveMQTextMessage marked() throws Exception {
    ActiveMQTextMessage message = new ActiveMQTextMessage();
    message.setJMSMessageID("ID:a:1:1:1");
    message.setText("cancel order 7");
    message.setStringProperty("orderId", "7");
    message.setBooleanProperty(REMOVAL, true);
    return message;
  }

  private static MessageReader.Rules rules(GatewayMetrics metrics) {
    return rules(metrics, () -> 0);
  }

  private static MessageReader.Rules rules(GatewayMetrics metrics, LongSupplier clockNs) {
    KeyProperties keys = KeyProperties.of(List.of(">=orderId"), REMOVAL);
    return new MessageReader.Rules(
        PROVIDER,
        NAMES,
        List.of(REMOVAL),
        keys,
        1024,
        (topic, name) -> false,
        new RefusedMessages(clockNs),
        metrics);
  }

  @Test
  void shouldReadAMarkedMessageOfATopicAsRemoval() throws Exception {
    try (Exposition exposition = new Exposition("message-reader-test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none())) {
      MessageReader reader = new MessageReader(rules(metrics), InterestKey.of("orders"), () -> {});

      Message removal = reader.read(marked());

      assertThat(removal.kind()).isEqualTo(PayloadKind.REMOVAL);
      assertThat(removal.payload()).isEmpty();
      assertThat(removal.key()).isEqualTo("7");
    }
  }

  @Test
  void shouldKeepThePayloadOfAMarkedMessageOfAQueue() throws Exception {
    try (Exposition exposition = new Exposition("message-reader-test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none())) {
      MessageReader reader =
          new MessageReader(rules(metrics).withoutKeys(), InterestKey.of("orders"), () -> {});

      Message delivery = reader.readDelivery(marked());

      assertThat(delivery.kind()).isEqualTo(PayloadKind.TEXT);
      assertThat(delivery.payload()).isEqualTo("cancel order 7".getBytes(StandardCharsets.UTF_8));
      assertThat(delivery.key()).isNull();
      assertThat(new String(delivery.properties(), StandardCharsets.UTF_8))
          .isEqualTo("{\"deleted\":true}");
    }
  }

  private static Message readTraced(GatewayMetrics metrics, String traceparent) throws Exception {
    MessageReader.Rules rules =
        new MessageReader.Rules(
            PROVIDER,
            NAMES,
            List.of("traceparent", "region"),
            KeyProperties.NONE,
            1024,
            (topic, name) -> false,
            new RefusedMessages(() -> 0),
            metrics);
    ActiveMQTextMessage message = new ActiveMQTextMessage();
    message.setJMSMessageID("ID:a:1:1:2");
    message.setText("x");
    message.setStringProperty("traceparent", traceparent);
    message.setStringProperty("region", "EU");
    return new MessageReader(rules, InterestKey.of("orders"), () -> {}).read(message);
  }

  @Test
  void shouldForwardAValidTraceContext() throws Exception {
    try (Exposition exposition = new Exposition("message-reader-test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none())) {
      Message read = readTraced(metrics, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

      assertThat(new String(read.properties(), StandardCharsets.UTF_8))
          .isEqualTo(
              "{\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\","
                  + "\"region\":\"EU\"}");
    }
  }

  @Test
  void shouldRemoveAndCountAnInvalidTraceContext() throws Exception {
    try (Exposition exposition = new Exposition("message-reader-test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none())) {
      Message read = readTraced(metrics, "00-bad");

      assertThat(new String(read.properties(), StandardCharsets.UTF_8))
          .isEqualTo("{\"region\":\"EU\"}");
      assertThat(
              exposition
                  .registry()
                  .get("sluice.trace.contexts.invalid")
                  .tag("origin", "broker")
                  .functionCounter()
                  .count())
          .isEqualTo(1);
    }
  }

  @Test
  void shouldLogOneUnsupportedMessagePerMinute() throws Exception {
    AtomicLong nowNs = new AtomicLong();
    try (Exposition exposition = new Exposition("message-reader-test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
        LoggedEvents logged = LoggedEvents.of(RefusedMessages.class)) {
      MessageReader reader =
          new MessageReader(rules(metrics, nowNs::get), InterestKey.of("orders"), () -> {});

      assertUnsupported(reader, new ActiveMQObjectMessage());
      assertThat(logged.pairs("message.unsupported"))
          .containsExactly("topic=\"orders\"", "problem=\"ObjectMessage\"", "messages=\"1\"");
      ActiveMQMapMessage map = new ActiveMQMapMessage();
      map.setObject("\ud83d", 1);
      assertUnsupported(reader, map);
      nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1));
      assertUnsupported(reader, map);

      assertThat(logged.names()).hasSize(2);
      assertThat(logged.pairs("message.unsupported"))
          .contains(
              "problem=\"a name in a map has an unpaired surrogate: \\ud83d\"", "messages=\"2\"");
    }
  }

  private static void assertUnsupported(MessageReader reader, ActiveMQMessage message)
      throws Exception {
    message.setJMSMessageID("ID:a:1:1:1");
    assertThatThrownBy(() -> reader.read(message))
        .isInstanceOfSatisfying(
            MessageReader.Refused.class,
            refused -> assertThat(refused.reason()).isEqualTo(GapReason.UNSUPPORTED));
  }
}
