package io.sluice.gateway.queues;

import static org.awaitility.Awaitility.await;

import io.sluice.testkit.BrokerProcess;
import io.sluice.testkit.NodeProcess;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.activemq.ActiveMQConnectionFactory;

/**
 * A persistent broker, two nodes, clients that consume one queue, and a publisher of numbered
 * messages. Bound to the test's thread.
 */
final class QueueScene implements AutoCloseable {
  private static final String QUEUE = "orders";
  private static final int BATCH = 500;
  private static final int MAX_BACKLOG = 20_000;
  private static final long DRAIN_MS = 3_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private final Path folder;
  private final BrokerProcess broker;
  private final List<NodeProcess> nodes = new ArrayList<>();
  private final List<Process> clients = new ArrayList<>();
  private final DeliveryLedger ledger = new DeliveryLedger();
  private int files;
  private int published;

  private QueueScene(Path folder, BrokerProcess broker) {
    this.folder = folder;
    this.broker = broker;
  }

  /** Starts all parts; clients connect to the nodes in turn. */
  static QueueScene start(String provider, Path folder, int clients) throws IOException {
    QueueScene scene =
        new QueueScene(folder, BrokerProcess.start(provider, folder.resolve("data")));
    try {
      for (int i = 0; i < 2; i++) {
        scene.nodes.add(NodeProcess.start(folder, scene.settings()));
      }
      for (int i = 0; i < clients; i++) {
        scene.clients.add(scene.startClient(i));
      }
      return scene;
    } catch (IOException | AssertionError e) {
      scene.close();
      throw e;
    }
  }

  private String settings() {
    return """
    broker:
      provider: %s
      url: "%s"
    queues.consume: ['%s']
    """
        .formatted(broker.provider(), broker.url(), QUEUE);
  }

  private Process startClient(int index) throws IOException {
    Path file = folder.resolve("deliveries." + files++);
    ledger.add(file);
    List<String> addresses = new ArrayList<>(nodes.stream().map(NodeProcess::address).toList());
    Collections.rotate(addresses, index);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(QueueClient.class.getName(), file.toString(), QUEUE));
    command.addAll(index % 4 < 2 ? List.of("50", "1") : List.of("200", "50"));
    command.addAll(addresses);
    return new ProcessBuilder(command).redirectErrorStream(true).inheritIO().start();
  }

  /** Publishes up to a number while clients consume. */
  void publishTo(int last) throws Exception {
    try (Connection connection = connect()) {
      Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
      MessageProducer producer = session.createProducer(session.createQueue(QUEUE));
      producer.setDeliveryMode(DeliveryMode.PERSISTENT);
      while (published < last) {
        int end = Math.min(last, published + BATCH);
        while (published < end) {
          producer.send(session.createTextMessage(String.valueOf(++published)));
        }
        session.commit();
        awaitDelivered(published - MAX_BACKLOG);
      }
    }
  }

  private Connection connect() throws JMSException {
    ConnectionFactory factory =
        broker.provider().equals("classic")
            ? new ActiveMQConnectionFactory(broker.url())
            : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(broker.url());
    return factory.createConnection();
  }

  /** Waits until clients have received a number of different messages. */
  void awaitDelivered(int count) {
    awaitLedger("clients receive " + count, () -> ledger.delivered() >= count);
  }

  /** Waits until so many more messages are settled, or all published ones are delivered. */
  void awaitSettled(int more) throws IOException {
    ledger.update();
    int target = ledger.settled() + more;
    awaitLedger(
        "clients settle " + target,
        () -> ledger.settled() >= target || ledger.delivered() == published);
  }

  private void awaitLedger(String what, BooleanSupplier reached) {
    await(what)
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(20))
        .failFast("a client has ended: " + ledger, this::hasClientEnded)
        .until(
            () -> {
              ledger.update();
              return reached.getAsBoolean();
            });
  }

  private boolean hasClientEnded() {
    return clients.stream().anyMatch(client -> !client.isAlive());
  }

  /** Kills the client whose turn it is, and starts another one. */
  void replaceClient(int turn) throws IOException {
    int index = turn % clients.size();
    kill(clients.get(index));
    clients.set(index, startClient(index));
  }

  private static void kill(Process process) {
    process.destroyForcibly();
    process.onExit().join();
  }

  NodeProcess node(int index) {
    return nodes.get(index);
  }

  BrokerProcess broker() {
    return broker;
  }

  /** Ends all clients and nodes, reads the rest of the queue, and returns the first violations. */
  List<String> end() throws Exception {
    awaitDelivered(published);
    clients.forEach(QueueScene::kill);
    nodes.forEach(NodeProcess::stop);
    ledger.update();
    List<String> found = new ArrayList<>(ledger.violations(published));
    try (Connection connection = connect()) {
      connection.start();
      Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageConsumer consumer = session.createConsumer(session.createQueue(QUEUE));
      for (Message rest = consumer.receive(DRAIN_MS);
          rest != null;
          rest = consumer.receive(DRAIN_MS)) {
        int number = Integer.parseInt(((TextMessage) rest).getText());
        if (ledger.isSettled(number)) {
          found.add("in the queue after its acknowledgement: " + number);
        }
      }
    }
    return found;
  }

  @Override
  public String toString() {
    return ledger.toString();
  }

  @Override
  public void close() {
    clients.forEach(QueueScene::kill);
    nodes.forEach(NodeProcess::close);
    broker.close();
  }
}
