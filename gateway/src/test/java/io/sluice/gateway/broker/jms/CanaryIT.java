package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.sluice.gateway.EachBroker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Isolated("observes the whole process")
final class CanaryIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Logger LOG = (Logger) LoggerFactory.getLogger(Canary.class);

  private final List<String> logged = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          logged.add(event.getMessage());
        }
      };
  private TestBroker server;
  private Node node;

  @BeforeEach
  void listen() {
    appender.start();
    LOG.addAppender(appender);
    LOG.setLevel(Level.WARN);
    LOG.setAdditive(false);
  }

  @AfterEach
  void stop() {
    LOG.detachAppender(appender);
    LOG.setLevel(null);
    LOG.setAdditive(true);
    if (node != null) {
      node.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** Broker connection of a node, with the events that it receives. */
  private static final class Node implements BrokerListener, AutoCloseable {
    private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
    private final Exposition exposition = new Exposition("canary-it");
    private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Long> proofs = new CopyOnWriteArrayList<>();
    private final JmsBroker broker;
    private volatile long liveMs;

    /** True if a canary has returned since the latest probe. */
    private volatile boolean measured;

    private volatile boolean provenUnmeasured;

    Node(Config config) {
      broker = new JmsBroker(JmsOptions.of(config), QueueSupport.ABSENT, control, this, metrics);
      broker.start();
    }

    @Override
    public void onLive() {
      proofs.clear();
      liveMs = nowMs();
      events.add("live");
    }

    @Override
    public void onCanary(long sequence, long roundTripMs) {
      measured = true;
    }

    @Override
    public void onProbe(long sequence) {
      measured = false;
    }

    @Override
    public void onProof(long sentMs) {
      provenUnmeasured |= !measured;
      proofs.add(sentMs);
    }

    @Override
    public void onLost() {
      events.add("lost");
    }

    /** Waits for further events, ignoring existing ones. */
    void awaitProofs(int count) {
      int before = proofs.size();
      await().atMost(LONG).until(() -> proofs.size() >= before + count);
    }

    void awaitEvents(String... expected) {
      await().atMost(LONG).untilAsserted(() -> assertThat(events).containsExactly(expected));
    }

    double metric(String name) {
      return new String(exposition.scrape(ScrapeFormat.accepting("")), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(name + " "))
          .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
          .sum();
    }

    @Override
    public void close() {
      CompletableFuture.runAsync(broker::stop, control).join();
      control.shutdown();
      metrics.close();
      exposition.close();
    }
  }

  /** Texts received from the topics that match a pattern. */
  private static final class Texts implements TopicListener {
    private final List<String> received = new CopyOnWriteArrayList<>();

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      received.add(message.topic());
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      received.add(reason.code());
    }

    @Override
    public void onActive(boolean again) {
      received.add(again ? "active again" : "active");
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      received.add(code.code());
    }
  }

  private Config config(String url) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, server.provider())
        .with(BrokerSettings.URL, url)
        .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(500))
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(50))
        .with(BrokerSettings.CANARY_TIMEOUT, Duration.ofMinutes(5));
  }

  private Config impatient(String url) {
    return config(url).with(BrokerSettings.CANARY_TIMEOUT, Duration.ofSeconds(1));
  }

  private Texts open(String pattern) throws Exception {
    Texts texts = new Texts();
    node.control
        .submit(() -> node.broker.open(InterestKey.of(pattern), texts))
        .get(120, TimeUnit.SECONDS);
    await().atMost(LONG).until(() -> !texts.received.isEmpty());
    return texts;
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private void publish(String topic) throws Exception {
    try (TestPublisher publisher = new TestPublisher(server.provider(), server.url())) {
      publisher.text(topic, "x");
    }
  }

  @ParameterizedTest
  @CsvSource({"artemis,1", "artemis,3", "classic,1", "classic,3"})
  void shouldProveDeliveryPeriodically(String provider, int connections) {
    server = TestBroker.start(provider);
    node = new Node(config(server.url()).with(BrokerSettings.CONNECTIONS, connections));
    node.awaitProofs(5);

    assertThat(node.proofs)
        .isSorted()
        .doesNotHaveDuplicates()
        .allSatisfy(sentMs -> assertThat(sentMs).isBetween(node.liveMs, nowMs()));
    assertThat(node.provenUnmeasured).as("a proof before its second canary").isFalse();
    assertThat(node.metric("sluice_broker_proof_age_seconds")).isBetween(0.0, 120.0);
    assertThat(node.metric("sluice_broker_silent_losses_total")).isZero();
    assertThat(node.metric("sluice_messages_in_total")).isZero();
    assertThat(node.events).containsExactly("live");
  }

  @Test
  void shouldDisconnectFromAPausedBrokerAndReconnect() throws Exception {
    ArtemisProcess artemis = ArtemisProcess.start();
    server = artemis;
    node = new Node(impatient(server.url()));
    node.awaitProofs(1);
    Texts texts = open("paused");

    artemis.pause();
    node.awaitEvents("live", "lost");
    // None if a request of the client times out first, as on a slow machine.
    assertThat(logged).filteredOn("broker.silent"::equals).hasSizeLessThanOrEqualTo(1);
    artemis.resume();

    checkThatItIsBack(texts);
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldDisconnectFromAnUnresponsiveLinkAndReconnect(String provider) throws Exception {
    server = TestBroker.start(provider);
    try (HalfOpenLink link = new HalfOpenLink(server.url())) {
      node = new Node(impatient(link.url()));
      node.awaitProofs(1);
      Texts texts = open("paused");

      link.fallSilent();
      node.awaitEvents("live", "lost");
      link.speakAgain();

      checkThatItIsBack(texts);
    }
  }

  private void checkThatItIsBack(Texts texts) throws Exception {
    node.awaitEvents("live", "lost", "live");
    assertThat(texts.received).containsExactly("active", "active again");
    node.awaitProofs(3);
    assertThat(node.proofs)
        .as("a canary of before proves nothing")
        .allSatisfy(sentMs -> assertThat(sentMs).isGreaterThanOrEqualTo(node.liveMs));
    assertThat(node.metric("sluice_broker_silent_losses_total")).isEqualTo(1);
    publish("paused");
    await().atMost(LONG).until(() -> texts.received.contains("paused"));
  }

  @Tag("full")
  @Test
  void shouldCloseAllConnectionsWhenOneIsUnresponsive() throws Exception {
    server = TestBroker.start("artemis");
    try (HalfOpenLink link = new HalfOpenLink(server.url())) {
      node = new Node(impatient(link.url()).with(BrokerSettings.CONNECTIONS, 2));
      node.awaitProofs(1);
      link.fallSilent(1);
      node.awaitEvents("live", "lost", "live"); // by new connections
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldLimitThreadsBlockedInAbandonedConnections(String provider) {
    server = TestBroker.start(provider);
    Set<Thread> ofOthers = canaryThreads();
    try (HalfOpenLink link = new HalfOpenLink(server.url())) {
      node = new Node(impatient(link.url()));
      for (int loss = 1; loss <= 5; loss++) {
        node.awaitProofs(1);
        int losses = loss;
        link.forgetConnections();
        await().atMost(LONG).until(() -> node.events.size() == 1 + 2 * losses);
        assertThat(canaryThreads()).filteredOn(t -> !ofOthers.contains(t)).hasSizeBetween(1, 3);
      }
      node.awaitProofs(1);
      // A fast provider, or a slow machine, may report a loss before the canary does.
      assertThat(node.metric("sluice_broker_silent_losses_total")).isBetween(1.0, 5.0);
    }
  }

  private static Set<Thread> canaryThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("sluice-canary"))
        .collect(Collectors.toSet());
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldHideCanariesFromClients(String provider) throws Exception {
    server = TestBroker.start(provider);
    node = new Node(config(server.url()));
    Texts all = open(">");
    Texts level = open("*.canary.>");
    try (Node other = new Node(config(server.url()))) {
      other.awaitProofs(5);
    }
    node.awaitProofs(5);
    publish("plain");
    publish("plain.canary.x");
    await().atMost(LONG).until(() -> all.received.size() == 3 && level.received.size() == 2);

    assertThat(all.received).containsExactly("active", "plain", "plain.canary.x");
    assertThat(level.received).containsExactly("active", "plain.canary.x");
    assertThat(node.metric("sluice_messages_in_total")).isEqualTo(3);
  }

  @Test
  void shouldRefuseTopicsOfCanariesToClients() throws Exception {
    server = TestBroker.start("artemis");
    node = new Node(config(server.url()).with(BrokerSettings.CANARY_PREFIX, "own.bird"));
    node.awaitProofs(1);

    assertThat(open("own.bird.>").received).containsExactly("forbidden");
    assertThat(open("own.birds").received).containsExactly("active");
    assertThat(outcomeOfPublishing("own.bird.1.0")).isEqualTo("forbidden");
  }

  private String outcomeOfPublishing(String topic) throws Exception {
    PublishOutcome outcome = new PublishOutcome();
    node.broker.publish(new Publication(topic, PayloadKind.TEXT, new byte[0], Map.of()), outcome);
    return outcome.await();
  }

  @Tag("full")
  @Test
  void shouldSendNoCanariesWhenDisabled() throws Exception {
    server = TestBroker.start("artemis");
    node = new Node(config(server.url()).with(BrokerSettings.CANARY_INTERVAL, Duration.ZERO));
    node.awaitEvents("live");
    try (Node other = new Node(config(server.url()))) {
      other.awaitProofs(5);
    }
    assertThat(node.proofs).isEmpty();
    assertThat(node.metric("sluice_broker_proof_age_seconds")).isNaN();
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"CONSUMERS", "MESSAGES"})
  void shouldWarnOnceAndKeepTheConnectionWithoutPermissions(ClassicBroker.Refusal refusal)
      throws Exception {
    ClassicBroker classic = ClassicBroker.start();
    server = classic;
    classic.refuse(refusal, "sluice.canary.");
    node = new Node(impatient(server.url()));
    await().atMost(LONG).until(() -> classic.refusals() >= 5); // 12 intervals apart: 2.4 s

    assertThat(node.events).containsExactly("live");
    assertThat(node.proofs).isEmpty();
    assertThat(logged).containsExactly("canary.refused");
    Texts texts = open("works");
    publish("works");
    await().atMost(LONG).until(() -> texts.received.contains("works"));

    classic.refuse(refusal, "nothing");
    node.awaitProofs(3);
    assertThat(node.events).containsExactly("live");
  }

  @Tag("full")
  @Test
  void shouldWarnOnceAndKeepTheConnectionIfCanariesNeverReturn() {
    ClassicBroker classic = ClassicBroker.start();
    server = classic;
    classic.refuse(ClassicBroker.Refusal.SILENTLY, "sluice.canary.");
    node = new Node(impatient(server.url()));
    await().atMost(LONG).until(() -> logged.contains("canary.refused"));
    int before = classic.refusals();
    await().atMost(LONG).until(() -> classic.refusals() >= before + 60); // 3 s of 50 ms

    assertThat(node.events).containsExactly("live");
    assertThat(logged).containsExactly("canary.refused");
    classic.refuse(ClassicBroker.Refusal.SILENTLY, "nothing");
    node.awaitProofs(3);
    assertThat(node.events).containsExactly("live");
  }
}
