package io.sluice.gateway;

import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Benchmark of requests: latency of a client of a node, beside a plain JMS client with a temporary
 * queue, at the same broker and responder. Both send one request at a time, in alternating rounds.
 * Argument: requests per round, 2,000 by default.
 */
public final class RequestLatencyProgram {
  private static final int ROUNDS = 5;
  private static final String QUOTES = "quotes";

  private final int requests;

  private RequestLatencyProgram(int requests) {
    this.requests = requests;
  }

  /** Prints one line per broker and requestor. */
  public static void main(String[] arguments) throws Exception {
    int requests = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2_000;
    System.out.println("broker   storage  requestor     p50 ms   p99 ms  requests");
    for (String provider : List.of("artemis", "classic")) {
      for (boolean stored : new boolean[] {false, true}) {
        new RequestLatencyProgram(requests).run(provider, stored);
      }
    }
    System.exit(0);
  }

  private void run(String provider, boolean stored) throws Exception {
    Path data = Files.createTempDirectory("requests");
    try (TestBroker broker =
            stored ? TestBroker.start(provider, data) : TestBroker.start(provider);
        JmsResponder responder =
            JmsResponder.ofQueue(
                broker,
                QUOTES,
                (session, request) -> session.createTextMessage(request.getBody(String.class)));
        TestNode node =
            TestNode.start(
                TestNode.unlimited(TestNode.config(provider, broker.url()))
                    .with(TopicSettings.QUEUES_SEND, List.of(QUOTES))
                    .with(LimitSettings.PUBLISH_RATE, 1_000_000)
                    .with(LimitSettings.FRAME_RATE, 0));
        RawWebSocket client = node.json();
        Requestor plain = new Requestor(broker)) {
      node.awaitReady();
      Histogram throughNode = new Histogram(3);
      Histogram direct = new Histogram(3);
      for (int round = 0; round <= ROUNDS; round++) {
        boolean warmUp = round == 0;
        measure(warmUp ? new Histogram(3) : throughNode, ref -> request(client, ref));
        measure(warmUp ? new Histogram(3) : direct, ref -> plain.request());
      }
      print(broker, stored, "WebSocket", throughNode);
      print(broker, stored, "plain JMS", direct);
      if (!responder.failures().isEmpty()) {
        throw new AssertionError(responder.failures().peek());
      }
    }
  }

  /** Sends one request and waits for its reply. */
  @FunctionalInterface
  private interface Exchange {
    void request(int ref) throws JMSException;
  }

  private void measure(Histogram latencies, Exchange exchange) throws JMSException {
    for (int ref = 1; ref <= requests; ref++) {
      long startNs = System.nanoTime();
      exchange.request(ref);
      latencies.recordValue(System.nanoTime() - startNs);
    }
  }

  private static void request(RawWebSocket client, int ref) {
    client.text(
        "{\"type\":\"request\",\"ref\":%d,\"queue\":\"%s\",\"payload\":\"EURUSD\"}"
            .formatted(ref, QUOTES));
    client.await("reply");
  }

  /** Plain JMS client with a temporary queue. */
  private static final class Requestor implements AutoCloseable {
    private final Connection connection;
    private final Session session;
    private final Destination quotes;
    private final MessageProducer producer;
    private final TemporaryQueue replies;
    private final MessageConsumer consumer;

    Requestor(TestBroker broker) throws JMSException {
      connection = JmsResponder.connect(broker);
      session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      quotes = session.createQueue(QUOTES);
      producer = session.createProducer(quotes);
      replies = session.createTemporaryQueue();
      consumer = session.createConsumer(replies);
      connection.start();
    }

    void request() throws JMSException {
      TextMessage request = session.createTextMessage("EURUSD");
      request.setJMSReplyTo(replies);
      producer.send(request);
      if (consumer.receive(10_000) == null) {
        throw new JMSException("no reply");
      }
    }

    @Override
    public void close() throws JMSException {
      connection.close();
    }
  }

  private static void print(
      TestBroker broker, boolean stored, String requestor, Histogram latencies) {
    System.out.printf(
        "%-8s %-8s %-12s %7.2f  %7.2f  %8d%n",
        broker.provider(),
        stored ? "disk" : "memory",
        requestor,
        latencies.getValueAtPercentile(50) / 1e6,
        latencies.getValueAtPercentile(99) / 1e6,
        latencies.getTotalCount());
  }
}
