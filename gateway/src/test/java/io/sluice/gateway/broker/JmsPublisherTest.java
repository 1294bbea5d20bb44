package io.sluice.gateway.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class JmsPublisherTest {
  private static final int MOST = 10;

  private final Exposition exposition = new Exposition("publisher-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  /** One that has broken, whatever it is asked for. */
  private static Connection broken() {
    return (Connection)
        Proxy.newProxyInstance(
            JmsPublisherTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              throw new JMSException("broken");
            });
  }

  /** Keeps its messages until it is started, and never comes to ask a provider then. */
  private JmsPublisher publisher(long maxBytes) {
    JmsPublisher publisher = new JmsPublisher(1000, maxBytes, null, false, metrics);
    publisher.onConnected(broken());
    return publisher;
  }

  /** Those of as many publications that wait, together with the one that does not. */
  private static List<PublishOutcome> publish(JmsPublisher publisher, Publication publication) {
    List<PublishOutcome> outcomes = new ArrayList<>();
    for (int i = 0; i <= MOST; i++) {
      outcomes.add(new PublishOutcome());
      publisher.publish(publication, outcomes.get(i));
    }
    return outcomes;
  }

  private static Publication publication(int payload, Map<String, Object> properties) {
    return new Publication("chat", PayloadKind.BYTES, new byte[payload], properties);
  }

  @Test
  void shouldBoundTheBytesOfPayloadsThatWait() throws Exception {
    assertBounded(publication(60_000, Map.of()));
  }

  @Test
  void shouldBoundTheBytesOfPropertiesThatWait() throws Exception {
    assertBounded(publication(0, Map.of("text", "x".repeat(60_000))));
  }

  private void assertBounded(Publication publication) throws Exception {
    JmsPublisher publisher = publisher(MOST * publication.size());
    List<PublishOutcome> outcomes = publish(publisher, publication);
    assertThat(outcomes.get(MOST).await()).isEqualTo(ErrorCode.BROKER_UNAVAILABLE.code());
    publisher.start();
    for (PublishOutcome waiting : outcomes.subList(0, MOST)) {
      assertThat(waiting.await()).isEqualTo(ErrorCode.PUBLISH_FAILED.code());
    }
    PublishOutcome next = new PublishOutcome();
    publisher.publish(publication, next);
    assertThat(next.await()).isEqualTo(ErrorCode.PUBLISH_FAILED.code());
    publisher.stop();
  }
}
