package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class JmsPublisherTest {
  private static final int MOST = 10;

  private final Exposition exposition = new Exposition("publisher-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final CountDownLatch connecting = new CountDownLatch(1);
  private JmsPublisher publisher;

  @AfterEach
  void close() {
    connecting.countDown();
    publisher.stop();
    metrics.close();
    exposition.close();
  }

  /** Provider that waits for the latch and then fails to connect. */
  private final class Unreachable implements Provider {
    @Override
    public Connection connect(int index, Runnable onLost) throws Exception {
      connecting.await();
      throw new JMSException("unreachable");
    }

    @Override
    public Wildcards wildcards() {
      return new Wildcards("*", ">", ".");
    }
  }

  private void start(long maxBytes, long timeoutMs) {
    PublishLimits limits = new PublishLimits(1000, maxBytes, 2, 100, maxBytes, 10, timeoutMs);
    Backoff backoff = new Backoff(0, 0, RandomGenerator.getDefault());
    publisher = new JmsPublisher(limits, new Unreachable(), false, backoff, metrics);
    publisher.start();
    publisher.onBrokerConnected();
  }

  /** Publishes one message above the limit. */
  private List<PublishOutcome> publish(Publication publication) {
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
  void shouldLimitTheBytesOfQueuedPayloads() throws Exception {
    assertBounded(publication(60_000, Map.of()));
  }

  @Test
  void shouldLimitTheBytesOfQueuedProperties() throws Exception {
    assertBounded(publication(0, Map.of("text", "x".repeat(60_000))));
  }

  private void assertBounded(Publication publication) throws Exception {
    start(MOST * publication.size(), 60_000);
    List<PublishOutcome> outcomes = publish(publication);
    assertThat(outcomes.get(MOST).isAnswered()).isTrue();
    assertThat(outcomes.get(0).isAnswered()).isFalse();
    connecting.countDown();
    for (PublishOutcome outcome : outcomes) {
      assertThat(outcome.await()).isEqualTo(ErrorCode.BROKER_UNAVAILABLE.code());
    }
  }

  @Test
  void shouldLimitTheWaitForAConnectionByThePublishTimeout() throws Exception {
    start(1_000_000, 100);
    for (PublishOutcome outcome : publish(publication(1, Map.of()))) {
      assertThat(outcome.await()).isEqualTo(ErrorCode.BROKER_UNAVAILABLE.code());
    }
  }

  @Test
  void shouldRefuseQueuedPublishesWhenTheBrokerIsLost() {
    start(1_000_000, 60_000);
    List<PublishOutcome> outcomes = publish(publication(1, Map.of()));
    publisher.onBrokerLost();
    assertThat(outcomes).allMatch(PublishOutcome::isAnswered);
  }
}
