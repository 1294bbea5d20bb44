package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Log event of a message that a client's consumer cannot deliver. */
@Timeout(180)
@Isolated("observes the whole process")
final class UndeliverableLogIT {
  private static final String QUEUE = "undeliverable.log";
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private final Logger log =
      (Logger) LoggerFactory.getLogger("io.sluice.gateway.broker.queue.DeliverySession");
  private final ListAppender<ILoggingEvent> events = new ListAppender<>();

  @BeforeEach
  void record() {
    events.list = new CopyOnWriteArrayList<>();
    events.start();
    log.setLevel(Level.WARN);
    log.addAppender(events);
  }

  @AfterEach
  void stopRecording() {
    log.detachAppender(events);
  }

  @Test
  void shouldNameTheSessionAndTheTrace() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestPublisher publisher = new TestPublisher("artemis", broker.url());
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url()),
                TopicSettings.QUEUES_CONSUME,
                List.of(QUEUE));
        RawWebSocket client = node.json()) {
      client.text("{\"type\":\"connect\"}");
      String session = client.await("hello").get("session").asText();
      client.text(
          "{\"type\":\"consume\",\"ref\":7,\"queue\":\"%s\",\"credit\":1}".formatted(QUEUE));
      client.await("consuming");
      sendObject(publisher);

      await().atMost(Duration.ofSeconds(60)).until(() -> !events.list.isEmpty());
      assertThat(pairs(events.list.get(0)))
          .containsEntry("session", session)
          .containsEntry("trace-id", TRACE)
          .containsEntry("queue", QUEUE);
    }
  }

  /** Sends a message of a type that no client can receive. */
  private static void sendObject(TestPublisher publisher) throws Exception {
    ObjectMessage message = publisher.session().createObjectMessage("7");
    message.setStringProperty("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01");
    try (MessageProducer producer =
        publisher.session().createProducer(publisher.session().createQueue(QUEUE))) {
      producer.send(message);
    }
  }

  private static Map<String, Object> pairs(ILoggingEvent event) {
    return event.getKeyValuePairs().stream()
        .collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
  }
}
