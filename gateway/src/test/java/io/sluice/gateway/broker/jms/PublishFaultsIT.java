package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.provider.ClassicProvider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.testkit.ClassicBroker;
import jakarta.jms.InvalidDestinationException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Publishes to a real broker by a JMS client whose calls hang. */
final class PublishFaultsIT {
  private static final long TIMEOUT_MS = 500;

  private final Exposition exposition = new Exposition("publish-faults-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private ClassicBroker server;
  private BrittleProvider provider;
  private JmsPublisher publisher;

  @BeforeEach
  void start() {
    server = ClassicBroker.start();
    Config config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, "classic")
            .with(BrokerSettings.URL, server.url())
            .with(BrokerSettings.PUBLISH_MODE, "batch");
    provider = new BrittleProvider(new ClassicProvider(ProviderOptions.of(config)));
    publisher =
        new JmsPublisher(
            new PublishLimits(1000, 1_000_000, 1, 100, 1_000_000, 10, TIMEOUT_MS),
            provider,
            false,
            new Backoff(0, 0, RandomGenerator.getDefault()),
            metrics);
    publisher.start();
    publisher.onBrokerConnected();
  }

  @AfterEach
  void stop() {
    goOn.countDown();
    publisher.stop();
    metrics.close();
    exposition.close();
    server.close();
  }

  private PublishOutcome publish() {
    PublishOutcome outcome = new PublishOutcome();
    publisher.publish(new Publication("chat", PayloadKind.BYTES, new byte[1], Map.of()), outcome);
    return outcome;
  }

  /** Blocks the second closing of a session until the test releases it. */
  private void hangInTheSecondClose() {
    AtomicInteger closes = new AtomicInteger();
    provider.onSessionClose =
        () -> {
          if (closes.incrementAndGet() == 2) {
            hanging.countDown();
            awaitGoOn();
          }
        };
  }

  private void awaitGoOn() {
    while (true) {
      try {
        goOn.await();
        return;
      } catch (InterruptedException e) {
        // Simulates a JMS client that ignores the interrupt.
      }
    }
  }

  @Test
  void shouldRefuseAPublishWhileTheFormerSessionDoesNotClose() throws Exception {
    hangInTheSecondClose();
    provider.onTopic =
        () -> {
          provider.onTopic = BrittleProvider.Fault.NONE;
          throw new InvalidDestinationException("its transaction is rolled back");
        };
    assertThat(publish().await()).isEqualTo("published");
    assertThat(hanging.await(120, TimeUnit.SECONDS)).isTrue();
    // Nothing is in flight while the session that sent the first one closes.
    assertThat(publish().await()).isEqualTo(ErrorCode.BROKER_UNAVAILABLE.code());
    assertThat(publish().await()).isEqualTo("published");
  }
}
