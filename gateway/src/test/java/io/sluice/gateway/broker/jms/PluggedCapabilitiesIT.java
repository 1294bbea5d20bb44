package io.sluice.gateway.broker.jms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestProgram;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.jms.PublishScene.Answers;
import io.sluice.gateway.broker.plugged.AmqpBroker;
import io.sluice.gateway.broker.plugged.ForgetfulFactory;
import io.sluice.gateway.broker.plugged.LimitedFactory;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.testkit.RabbitServer;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Behavior of plugged providers that a node uses only if it is proven, reported or configured. */
@Timeout(180)
final class PluggedCapabilitiesIT {
  private static final int PUBLISHES = 60;
  private static final Path RABBIT_JARS = Path.of("target", "providers", "rabbitmq-jms");

  private static AmqpBroker amqp;

  private static final String RABBIT = "com.rabbitmq.jms.admin.RMQConnectionFactory";

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    amqp = new AmqpBroker();
  }

  @AfterAll
  static void stop() {
    amqp.close();
  }

  /** A connected broker and the events of its topics. */
  private static final class Node implements AutoCloseable {
    private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
    private final Exposition exposition = new Exposition("plugged");
    private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
    private final BrokerEvents events = new BrokerEvents();
    final JmsBroker broker;

    Node(Config config) {
      broker =
          new JmsBroker(JmsOptions.of(config), QueueScene.queues(config), control, events, metrics);
      broker.start();
      await().atMost(PublishScene.LONG).until(() -> events.list().contains("live"));
    }

    Topic open(String pattern) throws Exception {
      Topic topic = new Topic();
      control.submit(() -> broker.open(InterestKey.of(pattern), topic)).get();
      return topic;
    }

    String publish(Publication publication) {
      Answers answers = new Answers(0);
      broker.publish(publication, answers);
      return answers.await() + ": " + answers.explanation();
    }

    @Override
    public void close() {
      CompletableFuture.runAsync(broker::stop, control).orTimeout(30, TimeUnit.SECONDS).join();
      control.shutdown();
      metrics.close();
      exposition.close();
    }
  }

  /** Events of a topic in words. */
  private static final class Topic implements TopicListener {
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    String next() throws InterruptedException {
      return events.poll(60, TimeUnit.SECONDS);
    }

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      events.add(message.topic() + " " + new String(message.payload(), UTF_8));
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      events.add("missed");
    }

    @Override
    public void onActive(boolean again) {
      events.add("active");
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add(code.code() + ": " + why);
    }
  }

  private static Publication text(Destination to, PublishHeaders headers) {
    return new Publication(to, PayloadKind.TEXT, "x".getBytes(UTF_8), Map.of(), headers);
  }

  private static PublishHeaders delayed() {
    return new PublishHeaders(
        4, 0, 1_000, PublishHeaders.Mode.OF_NODE, null, null, null, null, null);
  }

  private static Config limited(String provider, String url) {
    return factory(LimitedFactory.class, provider, url);
  }

  private static Config factory(Class<?> factory, String provider, String url) {
    return Config.defaults()
        .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(200))
        .with(BrokerSettings.PROVIDER, "factory")
        .with(BrokerSettings.CONNECTION_FACTORY, factory.getName())
        .with(BrokerSettings.PROPERTIES, Map.of("provider", provider, "url", url));
  }

  /** Artemis accepts each name as that of a topic, and delivers nothing to its consumer. */
  @Test
  void shouldRefusePatternsWithWrongWildcards() throws Exception {
    try (Node node = new Node(amqp.withoutWildcards())) {
      Topic plain = node.open("stocks.eu");
      assertThat(plain.next()).isEqualTo("active");
      assertThat(node.open("stocks.>").next())
          .startsWith("unsupported: this broker does not support patterns as configured: ")
          .endsWith(".> received no test message; see broker.wildcards");
      assertThat(node.publish(text(Destination.topic("stocks.eu"), PublishHeaders.DEFAULT)))
          .startsWith("published");
      assertThat(plain.next()).isEqualTo("stocks.eu x");
    }
  }

  @Test
  void shouldServeProvenPatterns() throws Exception {
    try (Node node = new Node(amqp.config())) {
      Topic pattern = node.open("stocks.>");
      assertThat(pattern.next()).isEqualTo("active");
      node.publish(text(Destination.topic("stocks.eu.7"), PublishHeaders.DEFAULT));
      assertThat(pattern.next()).isEqualTo("stocks.eu.7 x");
    }
  }

  @Test
  void shouldServeUnprovenPatternsOnlyIfConfigured() throws Exception {
    Config silent = amqp.config().with(BrokerSettings.CANARY_PREFIX, "");
    try (Node node = new Node(silent)) {
      assertThat(node.open("stocks.>").next())
          .isEqualTo(
              "unsupported: broker.canary.prefix disables the test message of patterns;"
                  + " broker.capabilities: patterns permits them unproven");
    }
    try (Node node = new Node(silent.with(BrokerSettings.CAPABILITIES, List.of("patterns")))) {
      assertThat(node.open("stocks.>").next()).isEqualTo("active");
    }
  }

  @Test
  void shouldRefuseWhatIsNotKnownToWork() throws Exception {
    try (Node node = new Node(amqp.config());
        QueueScene scene = new QueueScene(amqp.config())) {
      assertThat(node.broker.features())
          .contains(Feature.DURABLE, Feature.TRANSACTIONS)
          .doesNotContain(Feature.DELAY, Feature.SHARED);
      assertThat(node.publish(text(Destination.queue("orders"), delayed())))
          .startsWith("unsupported: \"delay\": this broker is not known to delay messages");
      assertThat(scene.open("orders", "kind = 'a'", 1).next())
          .isEqualTo(
              "refused unsupported: this broker is not known to support selectors (where) of queues"
                  + " (broker.capabilities: queue-selectors)");
      assertThat(scene.browse("orders", "kind = 'a'", 1)).containsExactly("unsupported");
      for (boolean durable : new boolean[] {true, false}) {
        TopicSubscription patterns = new TopicSubscription("ann", "stocks.>", "desk", durable);
        assertThat(scene.open(patterns, null, 1).next())
            .startsWith("refused unsupported: this broker is not known to support ")
            .contains(durable ? "durable-patterns" : "shared-patterns");
        TopicSubscription topic = new TopicSubscription("ann", "stocks.eu", "desk", durable);
        assertThat(scene.open(topic, null, 1).next())
            .isEqualTo(
                durable
                    ? "consuming"
                    : "refused unsupported: this broker is not known to support shared"
                        + " subscriptions (broker.capabilities: shared)");
      }
    }
  }

  @Test
  void shouldUseTheCapabilitiesOfAReport() throws Exception {
    Path report = folder.resolve("provider-report.json");
    Files.writeString(
        report,
        "{\"provider\": \"jndi\", \"connection-factory\": \"ConnectionFactory\","
            + " \"capabilities\": [\"queue-selectors\", \"shared\"]}");
    Config reported = amqp.config().with(BrokerSettings.REPORT, report.toString());
    try (Node node = new Node(reported);
        QueueScene scene = new QueueScene(reported)) {
      assertThat(node.broker.features()).containsExactly(Feature.SHARED);
      assertThat(scene.open("orders", "kind = 'a'", 1).next()).isEqualTo("consuming");
    }
  }

  /** Such a client closes the connection when a message has a delivery delay. */
  @Test
  void shouldNotDisturbOtherPublishersByADelay() throws Exception {
    try (TestBroker server = TestBroker.start("artemis");
        Node node =
            new Node(
                limited("artemis", server.url())
                    .with(BrokerSettings.CAPABILITIES, List.of("delay")))) {
      List<Answers> others = new ArrayList<>();
      List<Answers> delays = new ArrayList<>();
      for (int i = 0; i < PUBLISHES; i++) {
        Answers other = new Answers(i);
        node.broker.publish(text(Destination.queue("plain"), PublishHeaders.DEFAULT), other);
        others.add(other);
        Answers delay = new Answers(i);
        node.broker.publish(text(Destination.queue("late"), delayed()), delay);
        delays.add(delay);
        other.await();
      }
      PublishScene.awaitAnswers(others);
      PublishScene.awaitAnswers(delays);
      assertThat(others).allMatch(answer -> answer.only().equals("published"));
      assertThat(delays).noneMatch(answer -> answer.only().equals("published"));
    }
  }

  /** RabbitMQ's client closes the channel of the consumer, and reports nothing. */
  @Tag("full")
  @Test
  void shouldReportAMessageThatTheClientCannotRead() throws Exception {
    Optional<String> program = TestProgram.provide("rabbitmq-server");
    assumeThat(program).as("rabbitmq-server").isPresent();
    try (RabbitServer server = RabbitServer.start(program.get(), folder.toAbsolutePath());
        Node node = new Node(rabbit(server))) {
      Topic topic = node.open("stocks.eu");
      assertThat(topic.next()).isEqualTo("active");
      publishAsAmqp(server.uri(), "stocks.eu");
      assertThat(topic.next()).as("active again, with a gap").isEqualTo("active");
      node.publish(text(Destination.topic("stocks.eu"), PublishHeaders.DEFAULT));
      assertThat(topic.next()).isEqualTo("stocks.eu x");
    }
  }

  /** The client reports such a message at each receive, until it is acknowledged. */
  @Tag("full")
  @Test
  void shouldPassAMessageOfADurableTopicThatTheClientCannotRead() throws Exception {
    Optional<String> program = TestProgram.provide("rabbitmq-server");
    assumeThat(program).as("rabbitmq-server").isPresent();
    try (RabbitServer server = RabbitServer.start(program.get(), folder.toAbsolutePath())) {
      Config config =
          TestNode.config("factory", "")
              .with(BrokerSettings.JARS, RABBIT_JARS.toString())
              .with(BrokerSettings.CONNECTION_FACTORY, RABBIT)
              .with(BrokerSettings.PROPERTIES, Map.of("uri", server.uri()))
              .with(BrokerSettings.CLIENT_ID, "gw-1")
              .with(BrokerSettings.DURABLE, List.of("stocks.eu"))
              .with(HistorySettings.JOURNAL_FOLDER, folder.resolve("journal").toString());
      try (TestNode node = TestNode.start(config);
          RawWebSocket client = node.json()) {
        node.awaitReady();
        client.subscribe(1, "stocks.eu");
        publishAsAmqp(server.uri(), "stocks.eu");
        assertThat(client.await("gap").get("reason").asText()).isEqualTo("unsupported");
        client.publish(2, "stocks.eu", "later");
        assertThat(client.await("message").get("payload").asText()).isEqualTo("later");
      }
      try (TestNode node = TestNode.start(config);
          RawWebSocket client = node.json()) {
        node.awaitReady();
        client.subscribe(1, "stocks.eu");
        client.publish(2, "stocks.eu", "last");
        assertThat(client.readJson().get("payload").asText()).as("no gap").isEqualTo("last");
      }
    }
  }

  private static Config rabbit(RabbitServer server) {
    return Config.defaults()
        .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(200))
        .with(BrokerSettings.PROVIDER, "factory")
        .with(BrokerSettings.JARS, RABBIT_JARS.toString())
        .with(BrokerSettings.CONNECTION_FACTORY, RABBIT)
        .with(BrokerSettings.PROPERTIES, Map.of("uri", server.uri()));
  }

  /** Publishes a message without the headers of JMS, by RabbitMQ's client. */
  private static void publishAsAmqp(String uri, String topic) throws Exception {
    List<URL> jars = new ArrayList<>();
    try (Stream<Path> files = Files.list(RABBIT_JARS)) {
      for (Path jar : files.toList()) {
        jars.add(jar.toUri().toURL());
      }
    }
    try (URLClassLoader loader = new URLClassLoader(jars.toArray(URL[]::new))) {
      Class<?> type = loader.loadClass("com.rabbitmq.client.ConnectionFactory");
      Object factory = type.getConstructor().newInstance();
      type.getMethod("setUri", String.class).invoke(factory, uri);
      Object connection = type.getMethod("newConnection").invoke(factory);
      Object channel =
          loader
              .loadClass("com.rabbitmq.client.Connection")
              .getMethod("createChannel")
              .invoke(connection);
      Class<?> properties = loader.loadClass("com.rabbitmq.client.AMQP$BasicProperties");
      loader
          .loadClass("com.rabbitmq.client.Channel")
          .getMethod("basicPublish", String.class, String.class, properties, byte[].class)
          .invoke(channel, "jms.durable.topic", topic, null, "x".getBytes(UTF_8));
      ((AutoCloseable) connection).close();
    }
  }

  /** Such a client returns from a send before the broker has the message. */
  @Test
  void shouldNotRepeatAFailedPublishWithoutATransaction() throws Exception {
    try (TestBroker server = TestBroker.start("artemis");
        Node node = new Node(factory(ForgetfulFactory.class, "artemis", server.url()))) {
      Destination full = Destination.queue(ForgetfulFactory.FULL);
      assertThat(node.publish(text(full, PublishHeaders.DEFAULT)))
          .isEqualTo("publish-failed: the broker did not accept the message: no space");
      assertThat(node.publish(text(Destination.queue("plain"), PublishHeaders.DEFAULT)))
          .startsWith("published");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldReportPermanentFailuresAsUnsupported(String provider) throws Exception {
    try (TestBroker server = TestBroker.start(provider);
        QueueScene scene =
            new QueueScene(
                limited(provider, server.url())
                    .with(BrokerSettings.CAPABILITIES, List.of("queue-selectors")))) {
      assertThat(scene.open("orders", "kind = 'a'", 1).next())
          .isEqualTo(
              "refused unsupported: the JMS client does not support the request: no selectors of"
                  + " queues");
      assertThat(scene.browse("orders", "kind = 'a'", 1)).containsExactly("unsupported");
      TopicSubscription shared = new TopicSubscription("ann", "stocks.eu", "desk", false);
      assertThat(scene.open(shared, null, 1).next()).startsWith("refused unsupported: ");
    }
  }
}
