package io.sluice.gateway.broker.jms;

import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;

/**
 * Measurement of the order in which a broker delivers to the consumers of one connection. Their
 * link carries less than their topics produce. Results: by how much canaries and messages of a
 * quiet topic overtake backlogged topics, whether a backlogged topic pauses for a canary round
 * trip, and whether broker sequence numbers increase.
 *
 * <p>Arguments: provider, URL options ("-" for none), number of backlogged topics, seconds, and
 * link in bytes per second. A further argument "load" adds other clients that keep the broker busy.
 * Without arguments, all cases of docs/adr/0017-delivery-is-proven-per-interest.md run.
 */
public final class DeliveryOrderProgram {
  private static final int PUBLISHERS = 4;
  private static final int BODY = 1_000;
  private static final double OVERLOAD = 1.75;

  /** Independent canaries, each sent when the former one is back: more samples in the same time. */
  private static final int CANARIES = 8;

  private static final long CANARY_INTERVAL_MS = 500;
  private static final long QUIET_INTERVAL_MS = 250;

  private static final List<String> CASES =
      Stream.of(
              "artemis -",
              "artemis consumerWindowSize=-1",
              "classic -",
              "classic jms.prefetchPolicy.topicPrefetch=100")
          .flatMap(one -> Stream.of(1, 2, 5, 20).map(topics -> one + " " + topics + " 60 400000"))
          .toList();

  private final String provider;
  private final String options;
  private final int topics;
  private final int seconds;
  private final int link;
  private final boolean load;
  private final DeliveryOrder order = new DeliveryOrder();
  private final AtomicLong sent = new AtomicLong();
  private final List<Semaphore> canaryBack =
      Stream.generate(() -> new Semaphore(1)).limit(CANARIES).toList();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  private DeliveryOrderProgram(String[] args) {
    provider = args[0];
    options = args[1].equals("-") ? "" : "?" + args[1];
    topics = Integer.parseInt(args[2]);
    seconds = Integer.parseInt(args[3]);
    link = Integer.parseInt(args[4]);
    load = args.length > 5 && args[5].equals("load");
  }

  public static void main(String[] args) throws Exception {
    List<String> cases = args.length > 0 ? List.of(String.join(" ", args)) : CASES;
    for (String one : cases) {
      new DeliveryOrderProgram(one.split(" ")).run();
    }
    System.exit(0);
  }

  private boolean isCanary(int topic) {
    return topic >= topics && topic < quietTopic();
  }

  private int quietTopic() {
    return topics + CANARIES;
  }

  private void run() throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        SlowLink slow = new SlowLink(broker.url()).bytesPerSecond(link)) {
      Connection node = factory(slow.url() + options).createConnection();
      for (int topic = 0; topic <= quietTopic(); topic++) {
        consume(node, topic);
      }
      node.start();
      if (load) {
        startLoad(broker.url());
      }
      for (int i = 0; i < CANARIES; i++) {
        int canary = i;
        start(() -> canaries(node, canary));
      }
      start(() -> publish(broker.url(), PUBLISHERS, quietTopic(), 1, QUIET_INTERVAL_MS * 1e6));
      double intervalNs = 1e9 * PUBLISHERS * BODY / (link * OVERLOAD);
      for (int i = 0; i < PUBLISHERS; i++) {
        int publisher = i;
        start(() -> publish(broker.url(), publisher, 0, topics, intervalNs));
      }
      TimeUnit.SECONDS.sleep(seconds);
      long endNs = System.nanoTime();
      stopped = true;
      canaryBack.forEach(Semaphore::release);
      for (Thread thread : threads) {
        thread.join();
      }
      slow.bytesPerSecond(0);
      awaitRest();
      report(endNs);
    }
  }

  private void awaitRest() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (order.size() < sent.get() && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private void report(long endNs) {
    System.out.printf(
        "## %s%s, %d backlogged topics, link %d B/s, x%.2f, %d s%s%n",
        provider, options, topics, link, OVERLOAD, seconds, load ? ", broker load" : "");
    System.out.printf(
        "sent %d, delivered %d, backlog at the end %d messages%n",
        sent.get(), order.size(), order.backlog(endNs));
    IntPredicate quiet = topic -> topic == quietTopic();
    System.out.println("canary round trip: " + order.roundTrips(this::isCanary, endNs));
    System.out.println("quiet topic delay: " + order.roundTrips(quiet, endNs));
    System.out.println("canary overtakes: " + order.overtaking(this::isCanary, topics, endNs));
    System.out.println("quiet overtakes: " + order.overtaking(quiet, topics, endNs));
    System.out.println("starvation: " + order.starvation(this::isCanary, topics, endNs));
    System.out.println("within a topic: " + order.inversions(topics));
    System.out.println("across topics: " + order.sequenceOvertaking(this::isCanary, topics, endNs));
    System.out.println();
    System.out.flush();
  }

  private ConnectionFactory factory(String url) {
    if (provider.equals("classic")) {
      var factory = new org.apache.activemq.ActiveMQConnectionFactory(url);
      factory.setWatchTopicAdvisories(false);
      return factory;
    }
    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url);
    factory.setUseGlobalPools(false);
    factory.setThreadPoolMaxSize(2);
    return factory;
  }

  private void consume(Connection connection, int topic) throws JMSException {
    Session session = connection.createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
    MessageConsumer consumer = session.createConsumer(session.createTopic(name(topic)));
    consumer.setMessageListener(message -> onMessage(topic, message));
  }

  private static String name(int topic) {
    return "order." + topic;
  }

  private void onMessage(int topic, Message message) {
    long arrivedNs = System.nanoTime();
    try {
      order.add(
          new DeliveryOrder.Delivery(
              topic,
              message.getIntProperty("publisher"),
              message.getLongProperty("number"),
              sequence(message),
              message.getLongProperty("sentNs"),
              arrivedNs));
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
    if (isCanary(topic)) {
      canaryBack.get(topic - topics).release();
    }
  }

  private static long sequence(Message message) {
    return message instanceof ActiveMQMessage artemis
        ? artemis.getCoreMessage().getMessageID()
        : ((org.apache.activemq.command.ActiveMQMessage) message)
            .getMessageId()
            .getBrokerSequenceId();
  }

  // The next canary is sent when the former one is back and the interval is over.
  private void canaries(Connection node, int canary) {
    try {
      Session session = node.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageProducer producer = producer(session, topics + canary);
      for (long number = 1; !stopped; number++) {
        canaryBack.get(canary).acquire();
        if (!stopped) {
          send(session, producer, PUBLISHERS + 1, number, 20);
          TimeUnit.MILLISECONDS.sleep(CANARY_INTERVAL_MS);
        }
      }
    } catch (JMSException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void publish(String url, int publisher, int first, int count, double intervalNs) {
    try (Connection connection = factory(url).createConnection()) {
      Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      List<MessageProducer> producers = new ArrayList<>();
      for (int topic = first; topic < first + count; topic++) {
        producers.add(producer(session, topic));
      }
      long begin = System.nanoTime();
      for (long i = 0; !stopped; i++) {
        long due = begin + (long) (i * intervalNs);
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        MessageProducer next = producers.get((int) (i % count));
        send(session, next, publisher, i / count + 1, BODY);
      }
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  private static MessageProducer producer(Session session, int topic) throws JMSException {
    MessageProducer producer = session.createProducer(session.createTopic(name(topic)));
    producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
    return producer;
  }

  private void send(
      Session session, MessageProducer producer, int publisher, long number, int bytes)
      throws JMSException {
    BytesMessage message = session.createBytesMessage();
    message.writeBytes(new byte[bytes]);
    message.setIntProperty("publisher", publisher);
    message.setLongProperty("number", number);
    message.setLongProperty("sentNs", System.nanoTime());
    producer.send(message);
    sent.incrementAndGet();
  }

  /** Four topics at full speed between other connections. */
  private void startLoad(String url) throws JMSException {
    Connection taking = factory(url).createConnection();
    for (int i = 0; i < PUBLISHERS; i++) {
      Session session = taking.createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
      session
          .createConsumer(session.createTopic("load." + i))
          .setMessageListener(DeliveryOrderProgram::ignore);
      String topic = "load." + i;
      start(() -> burden(url, topic));
    }
    taking.start();
  }

  private static void ignore(Message message) {
    // only the broker's CPU time matters
  }

  private void burden(String url, String topic) {
    try (Connection connection = factory(url).createConnection()) {
      Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageProducer producer = session.createProducer(session.createTopic(topic));
      producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
      BytesMessage message = session.createBytesMessage();
      message.writeBytes(new byte[BODY]);
      while (!stopped) {
        producer.send(message);
        LockSupport.parkNanos(500_000);
      }
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  private void start(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
    threads.add(thread);
  }
}
