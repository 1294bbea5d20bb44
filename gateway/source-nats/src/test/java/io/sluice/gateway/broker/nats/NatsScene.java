package io.sluice.gateway.broker.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StreamConfiguration;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.testkit.NatsServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.UnaryOperator;

/** A source, and another client of its server. Bound to one test. */
final class NatsScene {
  private static final Duration TIMEOUT = Duration.ofSeconds(40);

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final NatsEvents events = new NatsEvents();
  private final Exposition exposition = new Exposition("nats-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final NatsSource source;
  private final Connection client;

  NatsScene(NatsServer server) throws Exception {
    this(server, config -> config);
  }

  NatsScene(NatsServer server, UnaryOperator<Config> more) throws Exception {
    this(server, more, new Options.Builder());
  }

  /**
   * @param other options of the other client
   */
  NatsScene(NatsServer server, UnaryOperator<Config> more, Options.Builder other) throws Exception {
    Config config = more.apply(Config.defaults().with(NatsSettings.SERVERS, List.of(server.url())));
    source = new NatsSource(NatsOptions.of(config), control, events, metrics);
    client =
        Nats.connect(
            other
                .server(server.url())
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(100))
                .build());
    source.start();
  }

  NatsEvents events() {
    return events;
  }

  NatsSource source() {
    return source;
  }

  Connection client() {
    return client;
  }

  JetStreamManagement management() throws Exception {
    return client.jetStreamManagement();
  }

  /** Returns the value of a metric; 0 if it is absent. */
  double gauge(String name) {
    return new String(exposition.scrape(ScrapeFormat.accepting(null)), UTF_8)
        .lines()
        .filter(line -> line.startsWith(name + ' '))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  void awaitLive() {
    awaitEventOf(events, "live");
  }

  void stream(String name, String... subjects) throws Exception {
    stream(StreamConfiguration.builder().name(name).subjects(subjects));
  }

  void stream(StreamConfiguration.Builder stream) throws Exception {
    management().addStream(stream.build());
  }

  /** Opens an interest without waiting for it. */
  NatsEvents.Topic open(String pattern) {
    NatsEvents.Topic topic = new NatsEvents.Topic();
    open(pattern, topic);
    return topic;
  }

  Broker.Consumer open(String pattern, NatsEvents.Topic topic) {
    return await()
        .until(control.submit(() -> source.open(InterestKey.of(pattern), topic))::get, c -> true);
  }

  /** Runs a task on the control thread. */
  void onControl(Runnable task) {
    control.execute(task);
  }

  /** Opens an interest and waits until it is active. */
  NatsEvents.Topic opened(String pattern) {
    NatsEvents.Topic topic = open(pattern);
    awaitEvent(topic, "active");
    return topic;
  }

  static void awaitEventOf(NatsEvents events, String event) {
    awaitEventOf(events, event, 1);
  }

  /** Waits until an event of the connection has occurred a number of times. */
  static void awaitEventOf(NatsEvents events, String event, int times) {
    await()
        .atMost(TIMEOUT)
        .until(() -> events.source().stream().filter(event::equals).count() == times);
  }

  static void awaitEvent(NatsEvents.Topic topic, String event) {
    await().atMost(TIMEOUT).untilAsserted(() -> assertThat(topic.events()).contains(event));
  }

  static void awaitEvents(NatsEvents.Topic topic, String... expected) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(topic.events()).containsExactly(expected));
  }

  /** Stores messages in a stream. */
  void store(String subject, String... texts) throws Exception {
    for (String text : texts) {
      client.jetStream().publish(subject, text.getBytes(UTF_8));
    }
  }

  void close() throws Exception {
    control.submit(source::stop).get();
    control.shutdown();
    client.close();
    metrics.close();
    exposition.close();
  }
}
