package io.sluice.gateway.broker.request;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.jms.BrokerAccess;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.queue.Reply;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reply queue at real brokers: opening, loss, return. The test is the responder. */
@Timeout(180)
final class JmsRequestsIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final long TIMEOUT_MS = 60_000;
  private static final int MAX_PENDING = 10;
  private static final int PAYLOAD = 1_000;
  private static final Map<String, TestBroker> BROKERS = new HashMap<>();

  private final Exposition exposition = new Exposition("requests-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();
  private WatchedProvider provider;
  private JmsRequests requests;
  private Connection responder;

  /** A request that the node has published. */
  private record Sent(
      Destination replyTo, String correlationId, long ttlMs, PublishListener listener) {}

  /** Real provider whose connections the test can lose. */
  private static final class WatchedProvider implements Provider {
    private final Provider real;
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private volatile Runnable lose;
    private volatile boolean refuses;
    private volatile CountDownLatch gate = new CountDownLatch(0);

    WatchedProvider(Provider real) {
      this.real = real;
    }

    @Override
    public Connection connect(int index, Runnable onLost) throws Exception {
      gate.await();
      if (refuses) {
        throw new JMSException("no more connections");
      }
      Connection connection = real.connect(index, onLost);
      connections.add(connection);
      lose = onLost;
      return connection;
    }

    @Override
    public Session session(Connection connection, int acknowledge) throws JMSException {
      return real.session(connection, acknowledge);
    }

    @Override
    public boolean isClosed(Session session) {
      return real.isClosed(session);
    }

    @Override
    public Wildcards wildcards() {
      return real.wildcards();
    }
  }

  /** Results of a request. */
  private static final class Results implements ReplyListener {
    private final Queue<String> results = new ConcurrentLinkedQueue<>();

    @Override
    public void onPublished() {}

    @Override
    public void onReply(Reply reply) {
      results.add(new String(reply.payload(), UTF_8));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      results.add(code.code());
    }

    @Override
    public Requester requester() {
      return Requester.NODE;
    }

    String only() {
      await().atMost(LONG).until(() -> !results.isEmpty());
      assertThat(results).hasSize(1);
      return results.peek();
    }
  }

  private void start(String name) throws Exception {
    TestBroker broker = BROKERS.computeIfAbsent(name, TestBroker::start);
    Config config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, name)
            .with(BrokerSettings.URL, broker.url());
    Provider real = ProviderOptions.of(config).newProvider();
    responder = real.connect(Provider.PUBLISHING, () -> {});
    responder.start();
    provider = new WatchedProvider(real);
    requests =
        new JmsRequests(
            new RequestLimits(MAX_PENDING, 4 * PAYLOAD, 30_000),
            new BrokerAccess(
                provider,
                null,
                null,
                JmsRequestsIT::read,
                null,
                null,
                (publication, replyTo, correlationId, ttlMs, listener) ->
                    sent.add(new Sent(replyTo, correlationId, ttlMs, listener)),
                null,
                () -> new Backoff(1, 50, new SplittableRandom(1)),
                metrics,
                BrokerThreads.SYSTEM));
    requests.onBrokerConnected();
  }

  @AfterEach
  void close() throws Exception {
    requests.stop();
    responder.close();
    metrics.close();
    exposition.close();
  }

  @AfterAll
  static void stop() {
    BROKERS.values().forEach(TestBroker::close);
  }

  private static Reply read(Message message) {
    try {
      byte[] payload = message.getBody(String.class).getBytes(UTF_8);
      return new Reply(1, 1, PayloadKind.TEXT, payload, null, null);
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  private Results request() {
    Results results = new Results();
    request(results);
    return results;
  }

  private Requests.Request request(Results results) {
    Publication publication =
        new Publication("quotes", PayloadKind.TEXT, new byte[PAYLOAD], Map.of());
    return requests.request(publication, TIMEOUT_MS, results);
  }

  private Sent awaitSent() {
    await().atMost(LONG).until(() -> !sent.isEmpty());
    return sent.remove();
  }

  private void reply(Sent to, String correlationId, String text) throws JMSException {
    Session session = responder.createSession(false, Session.AUTO_ACKNOWLEDGE);
    MessageProducer producer = session.createProducer(to.replyTo());
    Message message = session.createTextMessage(text);
    message.setJMSCorrelationID(correlationId);
    producer.send(message);
    session.close();
  }

  private double metric(String name) {
    return new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8)
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .findFirst()
        .orElseThrow();
  }

  /** Requests until the reply queue is open again. */
  private void assertReplied() throws JMSException {
    Results again = new Results();
    await().atMost(LONG).until(() -> request(again) != null);
    Sent to = awaitSent();
    reply(to, to.correlationId(), "again");
    await().atMost(LONG).until(() -> again.results.contains("again"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldDropRepliesOfOtherRequests(String name) throws Exception {
    start(name);
    Results results = request();
    Sent to = awaitSent();
    assertThat(to.ttlMs()).isBetween(1L, TIMEOUT_MS);
    reply(to, null, "without");
    reply(to, "another", "other");
    reply(to, to.correlationId() + "0", "next");
    reply(to, to.correlationId() + "x", "no number");
    reply(to, to.correlationId(), "reply");
    reply(to, to.correlationId(), "second");
    assertThat(results.only()).isEqualTo("reply");
    await().atMost(LONG).until(() -> metric("sluice_replies_late_total") == 5);
    assertThat(results.only()).isEqualTo("reply");
    assertThat(metric("sluice_requests_pending")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldEndAllRequestsWhenTheReplyQueueIsLost(String name) throws Exception {
    start(name);
    Results first = request();
    Sent lost = awaitSent();
    Results second = request();
    awaitSent();
    provider.lose.run();
    assertThat(first.only()).isEqualTo("no-reply");
    assertThat(second.only()).isEqualTo("no-reply");
    assertReplied();
    assertThat(provider.connections).hasSize(2);
    assertThat(lost.replyTo()).isNotNull();
    assertThat(first.only()).isEqualTo("no-reply");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldDetectAClosedReplyQueue(String name) throws Exception {
    start(name);
    Results results = request();
    awaitSent();
    provider.connections.get(0).close();
    assertThat(results.only()).isEqualTo("no-reply");
    assertReplied();
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldSendWaitingRequestsInOrder(String name) throws Exception {
    start(name);
    provider.gate = new CountDownLatch(1);
    Results first = request();
    Results cancelled = new Results();
    request(cancelled).cancel();
    Results third = request();
    assertThat(request().only())
        .as("beyond the bytes that may wait")
        .isEqualTo("broker-unavailable");
    assertThat(sent).isEmpty();
    provider.gate.countDown();
    Sent one = awaitSent();
    Sent three = awaitSent();
    reply(three, three.correlationId(), "3");
    reply(one, one.correlationId(), "1");
    assertThat(first.only()).isEqualTo("1");
    assertThat(third.only()).isEqualTo("3");
    assertThat(cancelled.results).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRefuseRequestsWhileTheReplyQueueCannotBeOpened(String name) throws Exception {
    start(name);
    provider.refuses = true;
    assertThat(request().only()).isEqualTo("broker-unavailable");
    provider.refuses = false;
    assertReplied();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldEndRequestsThatWaitWhenTheBrokerIsLost(String name) throws Exception {
    start(name);
    provider.gate = new CountDownLatch(1);
    Results waiting = request();
    requests.onBrokerLost();
    assertThat(waiting.only()).isEqualTo("broker-unavailable");
    assertThat(request().only()).isEqualTo("broker-unavailable");
    provider.gate.countDown();
    requests.onBrokerConnected();
    assertReplied();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRefuseRequestsBeyondTheLimitOfTheNode(String name) throws Exception {
    start(name);
    for (int i = 0; i < MAX_PENDING; i++) {
      request();
      awaitSent();
    }
    assertThat(request().only()).isEqualTo("too-many-requests");
    assertThat(metric("sluice_requests_pending")).isEqualTo(MAX_PENDING);
    requests.stop();
    assertThat(metric("sluice_requests_pending")).isZero();
    assertThat(request().only()).isEqualTo("broker-unavailable");
  }
}
