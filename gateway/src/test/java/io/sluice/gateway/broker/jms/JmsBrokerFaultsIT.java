package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.Arrival;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.broker.provider.ClassicProvider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.LoggedEvents;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Reconnects to a real broker after errors of the JMS client. */
@Isolated("observes the whole process")
final class JmsBrokerFaultsIT {
  private static final Duration LONG = Duration.ofSeconds(30);

  /** Bytes of a message that the broker sends in several packets. */
  private static final int LARGE = 300 * 1024;

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("jms-broker-faults-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final BrokerEvents recorded = new BrokerEvents();
  private final List<String> events = recorded.list();
  private final LoggedEvents logged = LoggedEvents.of(JmsBroker.class);
  private final AtomicInteger proofs = new AtomicInteger();
  private ClassicBroker server;
  private Config config;
  private BrittleProvider provider;
  private JmsBroker broker;
  private volatile BrittleProvider.Fault onLive = BrittleProvider.Fault.NONE;
  private volatile BrittleProvider.Fault onLost = BrittleProvider.Fault.NONE;

  @BeforeEach
  void prepare() {
    server = ClassicBroker.start();
    config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, "classic")
            .with(BrokerSettings.URL, server.url())
            .with(BrokerSettings.CLIENT_ID, "faults-it")
            .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(200));
    provider = new BrittleProvider(new ClassicProvider(ProviderOptions.of(config)));
    broker =
        new JmsBroker(
            JmsOptions.of(config), QueueSupport.ABSENT, control, new Recorder(), metrics, provider);
  }

  @AfterEach
  void stop() throws Exception {
    control.submit(broker::stop).get(120, TimeUnit.SECONDS);
    control.shutdown();
    metrics.close();
    exposition.close();
    server.close();
    logged.close();
  }

  private final class Recorder implements BrokerListener {
    @Override
    public void onLive() {
      strike(onLive);
      events.add("live");
    }

    @Override
    public void onProbe(long sequence) {
      // A probe alone is no proof.
    }

    @Override
    public void onProof(long sentMs) {
      proofs.incrementAndGet();
    }

    @Override
    public void onLost() {
      events.add("lost");
      strike(onLost);
    }
  }

  private static void strike(BrittleProvider.Fault fault) {
    try {
      fault.strike();
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  private final class Durable implements DurableListener {
    @Override
    public boolean onReconnected(RetainedMessages kept) {
      return true;
    }

    @Override
    public long onActive() {
      events.add("kept active");
      return 1;
    }

    @Override
    public void onRound(long consumer, boolean drained) {
      // DurableIT
    }

    @Override
    public boolean onArrivals(long consumer, List<Arrival> arrivals) {
      return true;
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add("kept refused: " + code);
    }
  }

  private void open(String name) throws Exception {
    control
        .submit(() -> broker.open(InterestKey.of(name), recorded.topic(name)))
        .get(120, TimeUnit.SECONDS);
  }

  private void awaitEvent(String event) {
    await().atMost(LONG).untilAsserted(() -> assertThat(events).contains(event));
  }

  private void start() {
    broker.start();
    awaitEvent("live");
  }

  /** Fails once. */
  private static BrittleProvider.Fault once(Error error) {
    AtomicBoolean struck = new AtomicBoolean();
    return () -> {
      if (!struck.getAndSet(true)) {
        throw error;
      }
    };
  }

  @Test
  void shouldReconnectWhenAClassIsMissing() {
    AtomicBoolean mended = new AtomicBoolean();
    provider.onConnect =
        () -> {
          if (!mended.get()) {
            throw new NoClassDefFoundError("com/example/Jar");
          }
        };
    broker.start();
    await().atMost(LONG).until(() -> provider.connects() > 2);
    mended.set(true);
    awaitEvent("live");
  }

  @Test
  void shouldOpenOtherTopicsAfterAnErrorInOneOpening() throws Exception {
    open("first");
    open("second");
    provider.onTopic = once(new OutOfMemoryError("unable to create native thread"));
    start();
    // Both are opened at the same time; either one can get the error.
    assertThat(events).filteredOn(event -> event.endsWith(" active")).hasSize(1);
  }

  @Test
  void shouldSendCanariesAgainAfterAnError() {
    broker =
        new JmsBroker(
            JmsOptions.of(config.with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(50))),
            QueueSupport.ABSENT,
            control,
            new Recorder(),
            metrics,
            provider);
    provider.onCanaryTopic = once(new OutOfMemoryError("unable to create native thread"));
    start();
    await().atMost(LONG).until(() -> proofs.get() > 0);
    assertThat(events).doesNotContain("lost");
  }

  @Test
  void shouldReconnectAfterAnErrorBetweenTheOpenings() throws Exception {
    open("first");
    onLive = once(new OutOfMemoryError("unable to create native thread"));
    start();
    assertThat(events).containsSubsequence("first active", "lost", "first active again", "live");
    assertThat(logged.names()).contains("broker.fault");
  }

  @Test
  void shouldReconnectAfterAnyErrorWhenTheBrokerIsLost() throws Exception {
    open("first");
    onLost = once(new OutOfMemoryError("unable to create native thread"));
    start();
    server.kill();
    awaitEvent("lost");
    server.restart();
    awaitEvent("first active again");
  }

  @Tag("full")
  @Test
  void shouldRetryADurableTopicThatWasActive() throws Exception {
    control.submit(() -> broker.openDurable("kept", new Durable())).get(120, TimeUnit.SECONDS);
    start();
    awaitEvent("kept active");
    events.clear();
    provider.onTopic =
        () -> {
          provider.onTopic =
              () -> {
                provider.onTopic = BrittleProvider.Fault.NONE;
                throw new InvalidDestinationException("the directory is away");
              };
          throw new JMSSecurityException("the directory is away");
        };
    server.kill();
    server.restart();
    awaitEvent("kept active");
    assertThat(events).filteredOn(event -> event.startsWith("kept")).containsOnly("kept active");
    assertThat(provider.onTopic).isSameAs(BrittleProvider.Fault.NONE);
  }

  @Tag("full")
  @Test
  void shouldKeepTheConnectionIfTheBrokerNeverRespondsForADurableTopic() throws Exception {
    broker =
        new JmsBroker(
            JmsOptions.of(
                config
                    .with(BrokerSettings.OPEN_PARALLELISM, 2)
                    .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofMillis(200))),
            QueueSupport.ABSENT,
            control,
            new Recorder(),
            metrics,
            provider);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger attempts = new AtomicInteger();
    start();
    provider.onKept =
        () -> {
          attempts.incrementAndGet();
          awaitUninterrupted(goOn);
        };
    try {
      control.submit(() -> broker.openDurable("kept", new Durable())).get(120, TimeUnit.SECONDS);
      await().atMost(LONG).until(() -> logged.names().contains("durable.waits"));
      open("breaks");
      awaitEvent("breaks active");
      // The check that finds it broken has looked at the durable topic before.
      provider.sessions().get(provider.sessions().size() - 1).close();
      awaitEvent("breaks active again");
      assertThat(attempts).hasValue(1);
      assertThat(events).doesNotContain("lost");
    } finally {
      goOn.countDown();
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        // Simulates a client that ignores the interrupt.
      }
    }
  }

  @Test
  void shouldKeepTheConnectionPastTheLimitOfSessions() throws Exception {
    open("healthy");
    start();
    provider.onSession =
        () -> {
          throw new JMSException("no more sessions for this user");
        };
    open("one-too-many");
    awaitEvent("one-too-many refused: BROKER_UNAVAILABLE");
    assertThat(events)
        .contains("one-too-many refused: BROKER_UNAVAILABLE")
        .doesNotContain("lost", "healthy active again");
  }

  @Test
  void shouldDeliverNothingOfALostConnectionAfterItsGap() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    provider.onRead =
        () -> {
          reading.countDown();
          provider.onRead = BrittleProvider.Fault.NONE;
          try {
            goOn.await(120, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            events.add("interrupted");
          }
        };
    open("chat");
    start();
    assertThat(publish(new byte[LARGE])).isEqualTo("published");
    assertThat(reading.await(120, TimeUnit.SECONDS)).isTrue();
    server.kill();
    awaitEvent("lost");
    Thread late =
        Thread.getAllStackTraces().entrySet().stream()
            .filter(entry -> Arrays.toString(entry.getValue()).contains("BrittleProvider.timeMs"))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow();
    goOn.countDown();
    await()
        .atMost(LONG)
        .until(
            () -> !Arrays.toString(late.getStackTrace()).contains("NonDurableInterest$Receiver"));
    assertThat(events).doesNotContain("chat message");
  }

  @Test
  void shouldRefuseOrConfirmPublishesAfterAnError() throws Exception {
    start();
    provider.onTopic = once(new NoClassDefFoundError("com/example/Jar"));
    assertThat(publish()).isEqualTo("publish-failed");
    assertThat(publish()).isEqualTo("published");
  }

  private String publish() throws Exception {
    return publish(new byte[1]);
  }

  private String publish(byte[] payload) throws Exception {
    PublishOutcome outcome = new PublishOutcome();
    broker.publish(new Publication("chat", PayloadKind.BYTES, payload, Map.of()), outcome);
    return outcome.await();
  }
}
