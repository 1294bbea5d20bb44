package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.EachBroker;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.provider.ArtemisProvider;
import io.sluice.gateway.broker.provider.ClassicProvider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many concurrent openings at a real broker, with faults in between. */
final class ParallelOpeningIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int MANY = 500;

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("parallel-opening-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final BrokerEvents recorded = new BrokerEvents();
  private final List<String> events = recorded.list();
  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private TestBroker server;
  private SlowLink link;
  private BrittleProvider provider;
  private JmsBroker broker;

  @AfterEach
  void stop() throws Exception {
    goOn.countDown();
    control.submit(broker::stop).get(60, TimeUnit.SECONDS);
    control.shutdown();
    metrics.close();
    exposition.close();
    if (link != null) {
      link.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private static Config config(String provider, String url) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, provider)
        .with(BrokerSettings.URL, url)
        .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(200));
  }

  private void create(Config config) {
    provider =
        new BrittleProvider(
            config.get(BrokerSettings.PROVIDER).equals("classic")
                ? new ClassicProvider(ProviderOptions.of(config))
                : new ArtemisProvider(ProviderOptions.of(config)));
    broker =
        new JmsBroker(
            JmsOptions.of(config), QueueSupport.ABSENT, control, recorded, metrics, provider);
  }

  private void start(Config config) {
    create(config);
    broker.start();
    awaitEvent("live");
  }

  private Broker.Consumer open(String name) throws Exception {
    return control
        .submit(() -> broker.open(InterestKey.of(name), recorded.topic(name)))
        .get(120, TimeUnit.SECONDS);
  }

  private void awaitEvent(String event) {
    await().atMost(LONG).untilAsserted(() -> assertThat(events).contains(event));
  }

  /** Blocks the next opening until the test releases it, or until it is interrupted. */
  private void hangOnce() {
    AtomicBoolean hung = new AtomicBoolean();
    provider.onTopic =
        () -> {
          if (!hung.getAndSet(true)) {
            hanging.countDown();
            awaitGoOn();
          }
        };
  }

  private void awaitGoOn() {
    boolean interrupted = false;
    while (true) {
      try {
        goOn.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true; // as a client that does not react to it
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void openHanging(String name) throws Exception {
    hangOnce();
    open(name);
    assertThat(hanging.await(120, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EachBroker
  void shouldOpenOthersWhileOneOpeningHangs(String name) throws Exception {
    server = TestBroker.start(name);
    start(config(name, server.url()));
    openHanging("hangs");
    open("other.1");
    open("other.2");
    awaitEvent("other.1 active");
    awaitEvent("other.2 active");
    assertThat(events).doesNotContain("hangs active");
    goOn.countDown();
    awaitEvent("hangs active");
    assertThat(events).doesNotContain("lost");
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportEachTopicAndLiveWhenAllAreActive(String name) throws Exception {
    server = TestBroker.start(name);
    link = new SlowLink(server.url());
    start(config(name, link.url()));
    for (String topic : List.of("a", "b", "c")) {
      open(topic);
      awaitEvent(topic + " active");
    }
    events.clear();
    hangOnce();
    link.cut();
    await()
        .atMost(LONG)
        .until(() -> events.stream().filter(event -> event.endsWith(" again")).count() == 2);
    assertThat(events).contains("lost").doesNotContain("live");
    goOn.countDown();
    awaitEvent("live");
    assertThat(events).contains("a active again", "b active again", "c active again");
  }

  @Tag("full")
  @Test
  void shouldRefuseATopicForWhichTheBrokerDoesNotRespond() throws Exception {
    server = TestBroker.start("classic");
    start(
        config("classic", server.url()).with(BrokerSettings.OPEN_TIMEOUT, Duration.ofMillis(500)));
    openHanging("hangs");
    awaitEvent("hangs refused: BROKER_UNAVAILABLE");
    open("other");
    awaitEvent("other active");
    assertThat(events).doesNotContain("lost");
    goOn.countDown();
    await().atMost(LONG).until(() -> provider.closes() == 1);
    assertThat(server.consumers("hangs")).isZero();
    assertThat(events).doesNotContain("hangs active");
  }

  @Tag("full")
  @Test
  void shouldReplaceTheConnectionIfTheBrokerRespondsToNoOpening() throws Exception {
    server = TestBroker.start("classic");
    start(
        config("classic", server.url())
            .with(BrokerSettings.OPEN_PARALLELISM, 1)
            .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofMillis(500)));
    openHanging("hangs");
    open("waits");
    awaitEvent("lost");
    awaitEvent("waits active");
  }

  /** Blocks the closing of consumers until the test releases it. */
  private void hangInClosings() {
    provider.onClose =
        () -> {
          hanging.countDown();
          awaitGoOn();
        };
  }

  private void close(Broker.Consumer consumer) throws Exception {
    control.submit(consumer::close).get(120, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @EachBroker
  void shouldOpenTopicsWhileClosingsHang(String name) throws Exception {
    server = TestBroker.start(name);
    start(config(name, server.url()).with(BrokerSettings.OPEN_PARALLELISM, 1));
    Broker.Consumer unused = open("unused");
    awaitEvent("unused active");
    hangInClosings();
    close(unused);
    assertThat(hanging.await(120, TimeUnit.SECONDS)).isTrue();
    open("other");
    awaitEvent("other active");
    assertThat(events).doesNotContain("lost");
  }

  @Tag("full")
  @Test
  void shouldReplaceTheConnectionIfNoConsumerCanBeClosed() throws Exception {
    server = TestBroker.start("classic");
    start(
        config("classic", server.url())
            .with(BrokerSettings.OPEN_PARALLELISM, 1)
            .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofMillis(500)));
    open("stays");
    Broker.Consumer first = open("first");
    Broker.Consumer second = open("second");
    awaitEvent("second active");
    hangInClosings();
    close(first);
    close(second);
    awaitEvent("stays active again");
    await().atMost(LONG).until(() -> server.consumers("second") == 0);
    assertThat(events).contains("lost");
  }

  @Tag("full")
  @Test
  void shouldDetectAnUnresponsiveBrokerWhileTopicsAreOpened() throws Exception {
    ArtemisProcess artemis = ArtemisProcess.start();
    server = artemis;
    start(
        config("artemis", server.url())
            .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofSeconds(1))
            .with(BrokerSettings.CANARY_INTERVAL, Duration.ZERO));
    artemis.pause();
    try {
      open("silent.1");
      open("silent.2");
      awaitEvent("lost");
    } finally {
      artemis.resume();
    }
    awaitEvent("silent.1 active");
    awaitEvent("silent.2 active");
  }

  @ParameterizedTest
  @EachBroker
  void shouldCloseAConsumerWithoutInterest(String name) throws Exception {
    server = TestBroker.start(name);
    start(config(name, server.url()));
    hangOnce();
    Broker.Consumer unused = open("unused");
    assertThat(hanging.await(120, TimeUnit.SECONDS)).isTrue();
    control.submit(unused::close).get(120, TimeUnit.SECONDS);
    goOn.countDown();
    await().atMost(LONG).until(() -> provider.closes() == 1);
    assertThat(server.consumers("unused")).isZero();
    assertThat(events).doesNotContain("unused active");
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldOpenEveryTopicOnceWhenTheConnectionIsLostDuringOpening(String name) throws Exception {
    server = TestBroker.start(name);
    link = new SlowLink(server.url());
    start(config(name, link.url()));
    link.delayMicros(2_000);
    List<String> topics = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      topics.add("many." + i);
      open("many." + i);
    }
    awaitEvent("many.0 active");
    events.remove("live");
    link.cut();
    awaitEvent("live");
    for (String topic : topics) {
      assertThat(events).filteredOn(event -> event.equals(topic + " active")).hasSize(1);
      assertThat(events).doesNotContain(topic + " refused: BROKER_UNAVAILABLE");
    }
    for (String topic : List.of("many.0", "many.7", "many." + (MANY - 1))) {
      await().atMost(LONG).until(() -> server.consumers(topic) == 1);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReleaseAllConsumersUnderChurn(String name) throws Exception {
    server = TestBroker.start(name);
    start(config(name, server.url()).with(BrokerSettings.OPEN_PARALLELISM, 4));
    for (int i = 0; i < 200; i++) {
      Broker.Consumer short1 = open("churn." + i % 10);
      control.submit(short1::close).get(120, TimeUnit.SECONDS);
    }
    open("churn.last");
    awaitEvent("churn.last active");
    for (int i = 0; i < 10; i++) {
      String topic = "churn." + i;
      await().atMost(LONG).until(() -> server.consumers(topic) == 0);
    }
    assertThat(events).doesNotContain("lost");
  }

  @ParameterizedTest
  @EachBroker
  void shouldStopWhileTopicsAreOpened(String name) throws Exception {
    server = TestBroker.start(name);
    start(config(name, server.url()));
    openHanging("hangs");
    control.submit(broker::stop).get(120, TimeUnit.SECONDS);
    goOn.countDown();
    await().atMost(LONG).until(() -> server.connections() == 0);
    assertThat(events).doesNotContain("hangs active", "lost");
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldLimitTheDurationOfAnAttemptAtAPortWithoutBroker(boolean resets) throws Exception {
    try (ServerSocket port = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      List<Socket> accepted = new CopyOnWriteArrayList<>();
      Thread acceptor = new Thread(() -> accept(port, accepted, resets));
      acceptor.setDaemon(true);
      acceptor.start();
      create(config("artemis", "tcp://127.0.0.1:" + port.getLocalPort()));
      broker.start();
      // Each attempt used to take ten seconds.
      await().atMost(Duration.ofMinutes(2)).until(() -> provider.connects() > 3);
      for (Socket socket : accepted) {
        socket.close();
      }
    }
  }

  private static void accept(ServerSocket port, List<Socket> accepted, boolean resets) {
    try {
      while (true) {
        Socket socket = port.accept();
        if (resets) {
          socket.setSoLinger(true, 0);
          socket.close();
        } else {
          accepted.add(socket);
        }
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }
}
