package io.sluice.gateway.broker.jms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.rewriting.RewritingFactory;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.ActiveMQConnectionFactory;

/** A {@link JmsBroker} that publishes to a real broker. Any thread. */
final class PublishScene implements AutoCloseable {
  static final Duration LONG = Duration.ofSeconds(60);
  private static final List<String> CAPABILITIES =
      List.of("delay", "durable-patterns", "shared", "shared-patterns", "queue-selectors");

  private static final String CLIENT = "client";
  private static final String NUMBER = "number";

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("publish-scene");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final AtomicInteger connects = new AtomicInteger();
  private final JmsBroker broker;

  /** Connects to a broker and waits for the connection. */
  PublishScene(Config config) {
    broker =
        new JmsBroker(
            JmsOptions.of(config), QueueScene.queues(config), control, new Listener(), metrics);
    broker.start();
    await().atMost(LONG).until(() -> connects.get() > 0);
  }

  /**
   * Settings for a broker.
   *
   * @param client artemis, classic, plugged or plugged-artemis: Classic's or Artemis' client by its
   *     class name; wrapped or wrapped-classic: these clients behind classes that the node does not
   *     know
   */
  static Config config(String client, String url) {
    Config config =
        Config.defaults()
            .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(200))
            .with(BrokerSettings.URL, url);
    return switch (client) {
      case "plugged" -> plugged(config, ActiveMQConnectionFactory.class, Map.of("brokerURL", url));
      case "plugged-artemis" ->
          plugged(
              config,
              org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory.class,
              Map.of("brokerURL", url));
      case "wrapped" ->
          plugged(config, RewritingFactory.class, Map.of("provider", "artemis", "url", url));
      case "wrapped-classic" ->
          plugged(config, RewritingFactory.class, Map.of("provider", "classic", "url", url));
      default -> config.with(BrokerSettings.PROVIDER, client);
    };
  }

  private static Config plugged(Config config, Class<?> factory, Map<String, String> properties) {
    return config
        .with(BrokerSettings.PROVIDER, "factory")
        .with(BrokerSettings.CONNECTION_FACTORY, factory.getName())
        .with(BrokerSettings.CAPABILITIES, CAPABILITIES)
        .with(BrokerSettings.PROPERTIES, properties);
  }

  private final class Listener implements BrokerListener {

    @Override
    public void onLive() {
      connects.incrementAndGet();
    }

    @Override
    public void onProbe(long sequence) {}

    @Override
    public void onProof(long sentMs) {
      // CanaryIT
    }

    @Override
    public void onLost() {
      // Publishes are refused until the next connect.
    }
  }

  /** Results of a publish. */
  static final class Answers implements PublishListener {
    private final int sequence;
    private final ConcurrentLinkedQueue<String> answers = new ConcurrentLinkedQueue<>();
    private volatile String explanation = "";

    Answers(int sequence) {
      this.sequence = sequence;
    }

    @Override
    public Requester requester() {
      return new Requester("", "", sequence);
    }

    @Override
    public void onPublished() {
      answers.add("published");
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      explanation = why;
      answers.add(code.code());
    }

    /** Waits for the first result. */
    String await() {
      org.awaitility.Awaitility.await().atMost(LONG).until(() -> !answers.isEmpty());
      return answers.peek();
    }

    /** Returns all results; fails if there is not exactly one. */
    String only() {
      assertThat(answers).hasSize(1);
      return answers.peek();
    }

    /** Returns the explanation of the refusal; empty without one. */
    String explanation() {
      return explanation;
    }

    boolean isAnswered() {
      return !answers.isEmpty();
    }
  }

  /** Publishes a message of a client, which has a number. */
  Answers publish(String topic, int client, int number) {
    Answers answers = new Answers(client);
    broker.publish(
        new Publication(
            topic,
            PayloadKind.BYTES,
            new byte[10],
            Map.of(CLIENT, (long) client, NUMBER, (long) number)),
        answers);
    return answers;
  }

  void publish(Publication publication, PublishListener listener) {
    broker.publish(publication, listener);
  }

  /** Opens a consumer and waits until it is active. */
  QueueScene.Client consume(String queue, int credit) {
    QueueScene.Client client = new QueueScene.Client();
    client.consumer =
        broker.queues().consume(new QueueRequest(Requester.NODE, queue, null, credit), client);
    assertThat(client.next()).isEqualTo("consuming");
    return client;
  }

  static void awaitAnswers(List<Answers> publishes) {
    await().atMost(LONG).until(() -> publishes.stream().allMatch(Answers::isAnswered));
  }

  /** Publishes until it succeeds, as after a loss. */
  void awaitPublished(String topic) {
    await().atMost(LONG).until(() -> publish(topic, 0, -1).await().equals("published"));
  }

  double metric(String name) {
    return new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8)
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .findFirst()
        .orElseThrow();
  }

  /** A message that has reached the broker. */
  record Received(int client, int number) {}

  /** Consumer of all topics under a prefix, over a separate connection. */
  static final class Consumer implements AutoCloseable {
    private final Connection connection;
    final ConcurrentLinkedQueue<Received> received = new ConcurrentLinkedQueue<>();

    Consumer(String server, String url, String pattern) throws JMSException {
      connection = factory(server, url).createConnection();
      Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      session.createConsumer(session.createTopic(pattern)).setMessageListener(this::onMessage);
      connection.start();
    }

    private static ConnectionFactory factory(String server, String url) {
      return server.equals("classic")
          ? new ActiveMQConnectionFactory(url)
          : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(url);
    }

    private void onMessage(Message message) {
      try {
        received.add(
            new Received(
                (int) message.getLongProperty(CLIENT), (int) message.getLongProperty(NUMBER)));
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    List<Integer> numbersOf(int client) {
      return received.stream()
          .filter(each -> each.client() == client)
          .map(Received::number)
          .toList();
    }

    @Override
    public void close() throws JMSException {
      connection.close();
    }
  }

  /** Stops the broker's connections; the servers keep running. */
  void stop() {
    CompletableFuture.runAsync(broker::stop, control).orTimeout(30, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    stop();
    control.shutdown();
    metrics.close();
    exposition.close();
  }
}
