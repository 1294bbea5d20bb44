package io.sluice.gateway.broker.jms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.queue.JmsQueueSupport;
import io.sluice.gateway.broker.queue.QueueOptions;
import io.sluice.gateway.broker.request.RequestLimits;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.QueueMeters;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueDelivery.Redelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Consumers of queues of a {@link JmsBroker} at a real broker. Any thread. */
final class QueueScene implements AutoCloseable {
  static final long LONG_S = 60;
  static final String SETTLED = "settled";
  static final String COMMITTED = "committed";

  /** Settings of an Artemis address whose senders are blocked by more than 10 kB of messages. */
  static final String BLOCK =
      "{\"maxSizeBytes\": 10000, \"pageSizeBytes\": 5000, \"addressFullMessagePolicy\": \"BLOCK\"}";

  private static final String DONE = "done";

  /** Time without a message after which a queue is empty. */
  private static final long DRAINED_MS = 1_000;

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("queue-scene");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final JmsBroker broker;

  QueueScene(Config config) {
    broker = new JmsBroker(JmsOptions.of(config), queues(config), control, new Ignored(), metrics);
  }

  static QueueSupport.Factory queues(Config config) {
    QueueOptions options = QueueOptions.of(config);
    RequestLimits limits = RequestLimits.of(config);
    return JmsQueueSupport.factory(options, limits);
  }

  QueueMeters meters() {
    return metrics.queues();
  }

  /** Returns the value of a sample. */
  double metric(String sample) {
    return new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8)
        .lines()
        .filter(line -> line.startsWith(sample + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  /** Opens a consumer and waits until it is active. */
  Client consume(String queue, int credit) {
    Client client = open(queue, null, credit);
    assertThat(client.next()).isEqualTo("consuming");
    return client;
  }

  Client open(String queue, String where, int credit) {
    Client client = new Client();
    client.consumer =
        broker.queues().consume(new QueueRequest(Requester.NODE, queue, where, credit), client);
    return client;
  }

  /** Opens a consumer of a subscription and waits until it is active. */
  Client consume(TopicSubscription subscription, int credit) {
    Client client = open(subscription, null, credit);
    assertThat(client.next()).isEqualTo("consuming");
    return client;
  }

  Client open(TopicSubscription subscription, String where, int credit) {
    Client client = new Client();
    client.consumer =
        broker
            .queues()
            .consume(new QueueRequest(Requester.NODE, subscription, where, credit), client);
    return client;
  }

  /** Returns the durable subscriptions of a principal, or the refusal. */
  List<String> list(String principal, int max) throws Exception {
    Result<List<DurableState>> result = new Result<>();
    broker.queues().list(Requester.NODE, principal, max, result);
    return result.lines(
        states ->
            states.stream()
                .map(
                    state ->
                        "%s %s %s where %s: %d messages, %d consumers"
                            .formatted(
                                state.subscription().principal(),
                                state.subscription().topic(),
                                state.subscription().name(),
                                state.where(),
                                state.messages(),
                                state.consumers()))
                .toList());
  }

  /** Returns the result of the removal of a durable subscription. */
  String delete(TopicSubscription subscription) throws Exception {
    Result<Void> result = new Result<>();
    broker.queues().delete(Requester.NODE, subscription, result);
    return result.lines(done -> List.of("deleted")).get(0);
  }

  private static final class Result<T> implements ResultListener<T> {
    private final CompletableFuture<T> value = new CompletableFuture<>();
    private final CompletableFuture<String> refusal = new CompletableFuture<>();

    @Override
    public void onResult(T result) {
      value.complete(result);
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      refusal.complete(code.code() + ": " + why);
    }

    List<String> lines(Function<T, List<String>> text) throws Exception {
      CompletableFuture.anyOf(value, refusal).get(LONG_S, TimeUnit.SECONDS);
      return value.isDone() ? text.apply(value.get()) : List.of(refusal.get());
    }
  }

  /** Returns the messages of a queue, then the result. */
  List<String> browse(String queue, String where, int max) throws Exception {
    Browsed browsed = new Browsed();
    broker.queues().browse(new QueueRequest(Requester.NODE, queue, where, 1), max, browsed);
    return browsed.result.get(LONG_S, TimeUnit.SECONDS);
  }

  /** Publishes texts to queues in one transaction; the result is "committed" or the refusal. */
  CompletableFuture<String> publish(Publication... publications) {
    CompletableFuture<String> result = new CompletableFuture<>();
    broker.queues().publish(List.of(publications), outcome(result));
    return result;
  }

  static Publication text(String queue, String text) {
    return new Publication(
        Destination.queue(queue),
        PayloadKind.TEXT,
        text.getBytes(UTF_8),
        Map.of(),
        PublishHeaders.DEFAULT);
  }

  private static PublishListener outcome(CompletableFuture<String> result) {
    return new PublishListener() {
      @Override
      public void onPublished() {
        result.complete(COMMITTED);
      }

      @Override
      public void onRefused(ErrorCode code, String why) {
        result.complete(code.code() + ": " + why);
      }
    };
  }

  @Override
  public void close() {
    broker.stop();
    control.shutdownNow();
    metrics.close();
    exposition.close();
  }

  /** Publishes texts to a topic with a plain JMS client. */
  static void publish(ConnectionFactory factory, String topic, String... texts)
      throws JMSException {
    try (Connection connection = factory.createConnection();
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED)) {
      sendAll(session, session.createTopic(topic), List.of(texts));
    }
  }

  /** Sends texts to a queue with a plain JMS client. */
  static void send(ConnectionFactory factory, String queue, String... texts) throws JMSException {
    sendAll(factory, queue, List.of(texts));
  }

  static void sendAll(ConnectionFactory factory, String queue, List<String> texts)
      throws JMSException {
    try (Connection connection = factory.createConnection();
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED)) {
      sendAll(session, session.createQueue(queue), texts);
    }
  }

  private static void sendAll(
      Session session, jakarta.jms.Destination destination, List<String> texts)
      throws JMSException {
    MessageProducer producer = session.createProducer(destination);
    for (String text : texts) {
      Message message = session.createTextMessage(text);
      message.setStringProperty("kind", text.substring(0, 1));
      producer.send(message);
    }
    session.commit();
  }

  /** Takes all messages out of a queue with a plain JMS client. */
  static List<String> drain(ConnectionFactory factory, String queue) throws JMSException {
    List<String> texts = new ArrayList<>();
    try (Connection connection = factory.createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      connection.start();
      MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
      for (Message next = receive(consumer); next != null; next = receive(consumer)) {
        texts.add(next.getBody(String.class));
      }
    }
    return texts;
  }

  private static Message receive(MessageConsumer consumer) throws JMSException {
    return consumer.receive(DRAINED_MS);
  }

  /** One client's consumer; its events in words. */
  static final class Client implements QueueListener {
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    /** Events of deliveries that may be redeliveries. */
    private final Set<String> perhapsAgain = ConcurrentHashMap.newKeySet();

    volatile QueueConsumer consumer;

    QueueConsumer consumer() {
      return consumer;
    }

    /** Returns whether a delivery is marked as redelivered, or as perhaps redelivered. */
    boolean isMarked(String event) {
      return event.endsWith(" again") || perhapsAgain.contains(event);
    }

    /** Returns the next event. */
    String next() {
      return next(LONG_S * 1000);
    }

    /** Returns the next event, or null if there is none for some time. */
    String next(long waitMs) {
      try {
        return events.poll(waitMs, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    String settle(Settlement how, long tag) throws Exception {
      return settle(how, tag, false);
    }

    String settle(Settlement how, long tag, boolean upTo) throws Exception {
      return settleLater(how, tag, upTo).get(LONG_S, TimeUnit.SECONDS);
    }

    CompletableFuture<String> settleLater(Settlement how, long tag, boolean upTo) {
      CompletableFuture<String> result = new CompletableFuture<>();
      consumer.settle(
          tag,
          upTo,
          how,
          new SettleListener() {
            @Override
            public void onSettled() {
              result.complete(SETTLED);
            }

            @Override
            public void onRefused(ErrorCode code, String why) {
              result.complete(code.code());
            }
          });
      return result;
    }

    /** Acknowledges messages and publishes others in one transaction. */
    CompletableFuture<String> transact(List<Acknowledgement> acks, Publication... publications) {
      CompletableFuture<String> result = new CompletableFuture<>();
      consumer.transact(acks, List.of(publications), outcome(result));
      return result;
    }

    CompletableFuture<String> transact(long tag, Publication... publications) {
      return transact(List.of(new Acknowledgement(tag, false)), publications);
    }

    @Override
    public void onConsuming() {
      events.add("consuming");
    }

    @Override
    public void onDelivery(QueueDelivery delivery) {
      String event =
          (delivery.topic() == null ? "" : delivery.topic() + " ")
              + text(delivery)
              + "#"
              + delivery.tag()
              + (delivery.redelivery() == Redelivery.COUNTED ? " again" : "");
      if (delivery.redelivery() == Redelivery.UNKNOWN) {
        perhapsAgain.add(event);
      }
      events.add(event);
    }

    @Override
    public void onReleased(long tag, ReleaseReason reason) {
      events.add("released " + tag + " " + reason.code());
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add("refused " + code.code() + ": " + why);
    }
  }

  private static String text(QueueDelivery delivery) {
    return new String(delivery.payload(), UTF_8);
  }

  private static final class Browsed implements BrowseListener {
    private final List<String> lines = new ArrayList<>();
    private final CompletableFuture<List<String>> result = new CompletableFuture<>();

    @Override
    public boolean onMessage(QueueDelivery message) {
      lines.add(text(message));
      return !text(message).equals(DONE);
    }

    @Override
    public void onBrowsed(int count, boolean more, int skipped) {
      lines.add(count + (more ? " and more" : "") + (skipped > 0 ? ", skipped " + skipped : ""));
      result.complete(lines);
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      lines.add(code.code());
      result.complete(lines);
    }
  }

  private static final class Ignored implements BrokerListener {
    @Override
    public void onLive() {}

    @Override
    public void onProbe(long sequence) {}

    @Override
    public void onProof(long sentMs) {}

    @Override
    public void onLost() {}
  }
}
