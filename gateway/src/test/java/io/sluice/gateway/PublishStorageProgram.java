package io.sluice.gateway;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Benchmark of publishing to a queue of a broker with a journal: clients of a node, beside plain
 * JMS clients that wait for each send, at the same broker. Arguments: seconds per run, 5 by
 * default, and {@code broker.publish-mode} of the node, auto by default.
 */
public final class PublishStorageProgram {
  private static final int CLIENTS = 8;

  /** Unanswered publishes of one client of the node. */
  private static final int WINDOW = 250;

  private static final int WARM_UP_SECONDS = 3;
  private static final String PAYLOAD = "x".repeat(200);
  private static final String QUEUE = "rate";

  private PublishStorageProgram() {}

  /** One publishing client. */
  @FunctionalInterface
  private interface Client {
    /** Publishes until the time has passed, and returns the number of confirmed publishes. */
    long publishUntil(long endNs) throws Exception;
  }

  /** Opens a client. */
  @FunctionalInterface
  private interface Opener {
    Client open() throws Exception;
  }

  /** Prints one line per broker, delivery mode and kind of client. */
  public static void main(String[] arguments) throws Exception {
    int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
    String mode = arguments.length > 1 ? arguments[1] : "auto";
    System.out.println("broker,persistent,clients,publishes_per_s,cpu_us_per_publish");
    for (String provider : List.of("artemis", "classic")) {
      for (boolean persistent : new boolean[] {true, false}) {
        run(provider, persistent, seconds, mode);
      }
    }
    System.exit(0);
  }

  private static void run(String provider, boolean persistent, int seconds, String mode)
      throws Exception {
    Path data = Files.createTempDirectory(Path.of("target"), "publishes");
    try (TestBroker broker = TestBroker.start(provider, data);
        TestNode node =
            TestNode.start(
                TestNode.unlimited(TestNode.config(provider, broker.url()))
                    .with(BrokerSettings.PUBLISH_MODE, mode)
                    .with(TopicSettings.QUEUES_SEND, List.of(QUEUE))
                    .with(TopicSettings.PUBLISH_PERSISTENT, persistent)
                    .with(LimitSettings.PUBLISH_RATE, 10_000_000)
                    .with(LimitSettings.FRAME_RATE, 0));
        Connection connection = JmsResponder.connect(broker)) {
      node.awaitReady();
      Opener plain =
          () -> plain(connection.createSession(false, Session.AUTO_ACKNOWLEDGE), persistent);
      measure(plain, WARM_UP_SECONDS);
      print(provider, persistent, "JMS", measure(plain, seconds));
      Opener throughNode = () -> webSocket(node.json());
      measure(throughNode, WARM_UP_SECONDS);
      print(provider, persistent, "WebSocket", measure(throughNode, seconds));
    }
  }

  private static Client plain(Session session, boolean persistent) throws Exception {
    MessageProducer producer = session.createProducer(session.createQueue(QUEUE));
    producer.setDeliveryMode(persistent ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
    return endNs -> {
      long sent = 0;
      for (; System.nanoTime() < endNs; sent++) {
        producer.send(session.createTextMessage(PAYLOAD));
      }
      session.close();
      return sent;
    };
  }

  private static Client webSocket(RawWebSocket client) {
    return endNs -> {
      long sent = 0;
      long answered = 0;
      while (System.nanoTime() < endNs || answered < sent) {
        if (System.nanoTime() < endNs && sent - answered < WINDOW) {
          client.text(
              "{\"type\":\"publish\",\"ref\":%d,\"queue\":\"%s\",\"payload\":\"%s\"}"
                  .formatted(sent++, QUEUE, PAYLOAD));
        } else {
          client.await("published");
          answered++;
        }
      }
      client.close();
      return answered;
    };
  }

  private static double[] measure(Opener opener, int seconds) throws Exception {
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(opener.open());
    }
    AtomicLong published = new AtomicLong();
    long startNs = System.nanoTime();
    long startCpuNs = cpuNs();
    long endNs = startNs + TimeUnit.SECONDS.toNanos(seconds);
    List<Thread> threads = new ArrayList<>();
    for (Client each : clients) {
      Thread thread = new Thread(() -> published.addAndGet(publish(each, endNs)));
      thread.start();
      threads.add(thread);
    }
    for (Thread each : threads) {
      each.join();
    }
    double tookS = (System.nanoTime() - startNs) / 1e9;
    double cpuUs = (cpuNs() - startCpuNs) / 1e3;
    return new double[] {published.get() / tookS, cpuUs / published.get()};
  }

  private static long publish(Client client, long endNs) {
    try {
      return client.publishUntil(endNs);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static long cpuNs() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static void print(String provider, boolean persistent, String clients, double[] result) {
    System.out.printf("%s,%s,%s,%.0f,%.0f%n", provider, persistent, clients, result[0], result[1]);
  }
}
