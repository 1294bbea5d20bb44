package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random sequences of requests, withdrawals, acknowledgements and returns of one session at a real
 * broker. Each request is answered by one message, which never takes until a repeat of the request,
 * and no message arrives without a request.
 */
@Timeout(300)
final class QueueCreditIT {
  private static final String QUEUE = "orders";
  private static final int STEPS = 400;
  private static final long LONG_S = 20;
  private static final long QUIET_MS = 300;

  /** Bytes of messages; the client receives the large ones in parts, and does not read one. */
  private static final int[] SIZES = {1, 1, 1, 1, 1, 1_000, 1_000, 150_000, 400_000};

  private static final long MAX_BODY = 300_000;

  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final BlockingQueue<Message> arrived = new LinkedBlockingQueue<>();
  private final Deque<Message> pending = new ArrayDeque<>();
  private TestBroker broker;
  private Connection connection;
  private Session sending;
  private MessageProducer producer;
  private QueueSession session;
  private Random random;
  private boolean requested;
  private int requests;
  private int arrivals;

  /** Messages that the test has sent and not received. */
  private int waiting;

  @AfterEach
  void close() throws Exception {
    session.close(List.copyOf(pending));
    connection.close();
    broker.close();
    executor.shutdownNow();
  }

  private void start(String name) throws Exception {
    broker = TestBroker.start(name);
    ProviderOptions options =
        ProviderOptions.of(
            Config.defaults()
                .with(BrokerSettings.PROVIDER, name)
                .with(BrokerSettings.URL, broker.url())
                .with(io.sluice.gateway.config.LimitSettings.BROKER_MESSAGE_BYTES, MAX_BODY));
    Provider provider =
        name.equals("classic") ? new ClassicProvider(options) : new ArtemisProvider(options);
    connection = provider.connect(Provider.QUEUES, () -> {});
    connection.start();
    sending = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    Queue queue = provider.queue(sending, QUEUE);
    producer = sending.createProducer(queue);
    session =
        provider.queueSession(
            connection, QUEUE, null, (message, failure) -> arrived.add(message), executor);
  }

  private void send(int count) throws JMSException {
    for (int i = 0; i < count; i++) {
      producer.send(sending.createTextMessage("x".repeat(SIZES[random.nextInt(SIZES.length)])));
      waiting++;
    }
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource({"artemis, 1", "artemis, 2", "artemis, 3", "artemis, 4", "classic, 1", "classic, 2"})
  void shouldAnswerEachRequestWithOneMessage(String name, int seed) throws Exception {
    start(name);
    random = new Random(seed);
    for (int step = 0; step < STEPS; step++) {
      if (waiting < 5) {
        send(random.nextInt(5));
      }
      step("step " + step);
      if (name.equals("artemis")) { // Classic may answer a withdrawal, too
        assertThat(arrivals + arrived.size())
            .as("after step %d", step)
            .isLessThanOrEqualTo(requests);
      }
    }
    session.release(take());
    arrived.clear();
    requested = false;
    send(1);
    request();
    receive("last");
    send(3);
    assertThat(arrived.poll(QUIET_MS, TimeUnit.MILLISECONDS)).as("without a request").isNull();
  }

  private void step(String step) throws Exception {
    switch (random.nextInt(7)) {
      case 0, 1 -> {
        request();
        if (waiting > 0) {
          receive(step);
        }
      }
      case 2 -> {
        request();
        cancel();
      }
      case 3 -> request(); // a message may be in transit during the next step
      case 4 -> acknowledge();
      case 5 -> {
        List<Message> returned = take();
        session.release(returned);
        requested = false;
        waiting += returned.size();
        arrivals += arrived.size();
        arrived.clear();
      }
      default -> {
        if (requested && waiting > 0) {
          receive(step);
        }
      }
    }
  }

  private void request() throws JMSException {
    if (!requested) {
      requested = true;
      requests++;
      session.request();
    }
  }

  // A message that was in transit belongs to the withdrawn request.
  private void cancel() throws Exception {
    session.cancel();
    requested = false;
    Message late = arrived.poll(random.nextInt(3), TimeUnit.MILLISECONDS);
    if (late != null) {
      add(late);
    }
  }

  private void receive(String step) throws Exception {
    Message next = arrived.poll(LONG_S, TimeUnit.SECONDS);
    assertThat(next).as("%s: answer to a request, %d waiting", step, waiting).isNotNull();
    add(next);
    requested = false;
  }

  private void add(Message message) {
    arrivals++;
    pending.add(message);
    waiting--;
  }

  private List<Message> take() {
    List<Message> all = new ArrayList<>(pending);
    pending.clear();
    return all;
  }

  private void acknowledge() throws JMSException {
    if (!pending.isEmpty()) {
      session.acknowledge(List.of(pending.remove()));
    }
  }
}
