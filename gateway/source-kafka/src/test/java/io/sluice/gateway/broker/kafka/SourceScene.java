package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.InterestKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Source with recorded events of its connection. Bound to the test's thread. */
final class SourceScene implements BrokerListener, AutoCloseable {
  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("kafka-source-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  /** Events "live" and "lost", in order. */
  final List<String> events = new CopyOnWriteArrayList<>();

  final KafkaSource source;

  private SourceScene(Config config, ValueSchemas schemas) {
    source = new KafkaSource(KafkaOptions.of(config), schemas, control, this, metrics);
    source.start();
  }

  /** Returns a configuration with topics {@code plain…} and keyed topics {@code keyed…}. */
  static Config config(String server, List<String> topics, List<String> keyed) {
    return Config.defaults()
        .with(KafkaSettings.SERVERS, List.of(server.split(",")))
        .with(KafkaSettings.TOPICS, topics)
        .with(KafkaSettings.KEYED_TOPICS, keyed)
        .with(KafkaSettings.REFRESH, Duration.ofMillis(200))
        .with(BrokerSettings.CANARY_TIMEOUT, Duration.ofSeconds(10));
  }

  static SourceScene start(Config config) {
    return start(config, ValueSchemas.ABSENT);
  }

  static SourceScene start(Config config, ValueSchemas schemas) {
    return new SourceScene(config, schemas);
  }

  static SourceScene start(String server, List<String> topics, List<String> keyed) {
    return start(config(server, topics, keyed));
  }

  /** Opens an interest. */
  TopicEvents open(String topic) {
    TopicEvents events = new TopicEvents();
    control.execute(() -> events.consumer(source.open(InterestKey.of(topic), events)));
    return events;
  }

  /** Returns the value of a gauge. */
  String gauge(String name) {
    return new String(exposition.scrape(ScrapeFormat.accepting(null)), UTF_8)
        .lines()
        .filter(line -> line.startsWith(name + ' '))
        .findFirst()
        .orElse("absent");
  }

  /** Closes an interest. */
  void close(Broker.Consumer consumer) throws Exception {
    control.submit(consumer::close).get();
  }

  @Override
  public void onLive() {
    events.add("live");
  }

  @Override
  public void onProbe(long sequence) {
    throw new AssertionError("offsets need no canaries");
  }

  @Override
  public void onProof(long sentMs) {
    throw new AssertionError("offsets need no proofs");
  }

  @Override
  public void onLost() {
    events.add("lost");
  }

  @Override
  public void close() {
    CompletableFuture.runAsync(source::stop, control).join();
    control.shutdown();
    metrics.close();
    exposition.close();
  }
}
