package io.sluice.gateway.broker.contract;

import static io.sluice.gateway.broker.contract.ContractOptions.DOUBLE;
import static io.sluice.gateway.broker.contract.ContractOptions.FLAG;
import static io.sluice.gateway.broker.contract.ContractOptions.LONG;
import static io.sluice.gateway.broker.contract.ContractOptions.TEXT;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.contract.CheckedBroker.Consumer;
import io.sluice.gateway.broker.contract.CheckedBroker.Subscription;
import io.sluice.gateway.broker.contract.ContractResult.Outcome;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueDelivery.Redelivery;
import io.sluice.gateway.protocol.queue.Reply;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Contract of a JMS provider: what a node and its clients use, checked at a real broker. Uses
 * topics and queues with a new name for each run. Confined to one thread.
 */
public final class ProviderContract implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ProviderContract.class);

  /** Time without a message after which none is expected. */
  static final long ABSENT_MS = 1_500;

  private static final int IDS = 16;
  private static final int ORDERED = 200;
  private static final int SHARED = 20;
  private static final long DELAY_MS = 2_000;
  private static final long TTL_MS = 500;
  private static final int HIGH_PRIORITY = 9;
  private static final int LARGE = 1 << 20;
  private static final String PRINCIPAL = "check";

  /** Headers of messages that a check may leave at the broker. */
  private static final PublishHeaders EXPIRING =
      headers(PublishHeaders.DEFAULT_PRIORITY, 300_000, 0);

  /** A check. */
  @FunctionalInterface
  private interface Check {
    void run() throws Exception;
  }

  private static final String PATTERNS = "patterns";

  private final Map<String, Check> checks = new LinkedHashMap<>();
  private final ContractOptions options;
  private final String base;

  /** Connected broker; null before the first check and after a failure. */
  private CheckedBroker broker;

  /** Figures of the last check that works; empty: none. */
  private String detail = "";

  private boolean patternsWork = true;

  /**
   * Creates the contract. Opens no connection.
   *
   * @param restart null if the broker must not be restarted
   */
  public ProviderContract(ContractOptions options, BrokerRestart restart) {
    this.options = options;
    this.base = options.base();
    checks.put("ids", this::ids);
    checks.put("order", this::order);
    checks.put("bodies", this::bodies);
    checks.put("properties", this::properties);
    checks.put("large-messages", this::large);
    checks.put("priority", this::priority);
    checks.put("topic-selectors", this::topicSelectors);
    checks.put(PATTERNS, this::patterns);
    checks.put("queues", this::queues);
    checks.put("queue-release", this::release);
    checks.put("queue-reject", this::reject);
    checks.put("queue-browse", this::browse);
    checks.put("queue-selectors", this::queueSelectors);
    checks.put("ttl", this::ttl);
    checks.put("shared", () -> shared("shared", false));
    checks.put("shared-patterns", () -> shared("shared-patterns", true));
    checks.put("durable", () -> durable("durable", false));
    checks.put("durable-patterns", () -> durable("durable-patterns", true));
    checks.put("node-durable", this::nodeDurable);
    checks.put("requests", this::requests);
    checks.put("transactions", this::transactions);
    checks.put("transacted-acks", this::transactedAcks);
    checks.put("delay", this::delay);
    checks.put("credentials", this::credentials);
    LinkChecks links = new LinkChecks(options, restart);
    checks.put("tls", () -> detail = links.tls());
    checks.put("reconnect", () -> detail = links.reconnect());
    checks.put("half-open", () -> detail = links.halfOpen());
    checks.put("restart", () -> detail = links.restart());
  }

  /** Returns the names of all checks in their order. */
  public List<String> checks() {
    return List.copyOf(checks.keySet());
  }

  /**
   * Connects, unless it is connected.
   *
   * @throws Broken if no connection is possible
   */
  private void connect() throws Broken, InterruptedException {
    if (broker == null) {
      broker = new CheckedBroker(options);
    }
    broker.awaitConnected();
  }

  /**
   * Connects to the broker. Returns why that is not possible; empty if it is connected.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  public String connectionProblem() throws InterruptedException {
    try {
      connect();
      return "";
    } catch (Broken e) {
      return e.getMessage();
    }
  }

  /**
   * Runs a check; never fails.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  public ContractResult run(String name) throws InterruptedException {
    if (name.endsWith('-' + PATTERNS) && !patternsWork) {
      return new ContractResult(name, Outcome.UNCHECKED, "patterns do not work");
    }
    ContractResult result = result(name);
    patternsWork &= !name.equals(PATTERNS) || result.outcome() == Outcome.WORKS;
    return result;
  }

  private ContractResult result(String name) throws InterruptedException {
    try {
      detail = "";
      connect();
      checks.get(name).run();
      return new ContractResult(name, Outcome.WORKS, detail);
    } catch (Refused e) {
      return new ContractResult(name, Outcome.REFUSED, masked(e));
    } catch (Unchecked e) {
      return new ContractResult(name, Outcome.UNCHECKED, masked(e));
    } catch (InterruptedException e) {
      throw e;
    } catch (Broken e) {
      return new ContractResult(name, Outcome.FAILS, masked(e));
    } catch (Exception | LinkageError e) { // a provider's client may fail in any way
      return new ContractResult(name, Outcome.FAILS, ServiceUrl.masked(e.toString()));
    }
  }

  private static String masked(Exception e) {
    return ServiceUrl.masked(String.valueOf(e.getMessage()));
  }

  @Override
  public void close() {
    if (broker != null) {
      broker.close();
    }
  }

  // Some brokers permit no hyphens in names.
  private String name(String check) {
    return base + "." + check.replace("-", "");
  }

  private static Publication topic(String name, String text) {
    return publication(Destination.topic(name), text, EXPIRING);
  }

  private static Publication queue(String name, String text) {
    return publication(Destination.queue(name), text, EXPIRING);
  }

  private static Publication publication(Destination to, String text, PublishHeaders headers) {
    return new Publication(to, PayloadKind.TEXT, text.getBytes(UTF_8), Map.of(), headers);
  }

  private static PublishHeaders headers(int priority, long ttlMs, long delayMs) {
    return new PublishHeaders(
        priority, ttlMs, delayMs, PublishHeaders.Mode.OF_NODE, null, null, null, null, null);
  }

  private static String text(byte[] payload) {
    return new String(payload, UTF_8);
  }

  private static void expect(Object expected, Object actual, String what) throws Broken {
    Broken.unless(expected.equals(actual), what + ": " + actual + " instead of " + expected);
  }

  private static String next(Consumer consumer) throws Exception {
    return text(consumer.next().payload());
  }

  private static void expectNone(Consumer consumer, String what) throws Exception {
    QueueDelivery more = consumer.poll(ABSENT_MS);
    Broken.unless(more == null, what);
  }

  /** Two consumers on two connections receive each message with the same id. */
  private void ids() throws Exception {
    Provider provider = options.jms().provider().newProvider();
    try (Connection one = provider.connect(0, () -> {});
        Connection other = provider.connect(1, () -> {})) {
      String name = provider.wildcards().toProvider(name("ids"));
      List<BlockingQueue<jakarta.jms.Message>> arrivals = new ArrayList<>();
      for (Connection each : List.of(one, other)) {
        Session session = each.createSession(false, Session.AUTO_ACKNOWLEDGE);
        BlockingQueue<jakarta.jms.Message> received = new LinkedBlockingQueue<>();
        session.createConsumer(provider.topic(session, name)).setMessageListener(received::add);
        arrivals.add(received);
        each.start();
      }
      Session sending = one.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageProducer producer = sending.createProducer(provider.topic(sending, name));
      Set<String> seen = new HashSet<>();
      for (int i = 0; i < IDS; i++) {
        jakarta.jms.Message message = sending.createTextMessage("id");
        provider.identify(message);
        producer.send(message);
        String first = id(provider, arrivals.get(0));
        expect(first, id(provider, arrivals.get(1)), "ids of two consumers differ");
        Broken.unless(seen.add(first), "the id " + first + " repeats");
      }
    }
  }

  private static String id(Provider provider, BlockingQueue<jakarta.jms.Message> arrivals)
      throws Exception {
    jakarta.jms.Message received = arrivals.poll(CheckedBroker.WAIT_MS, TimeUnit.MILLISECONDS);
    Broken.unless(received != null, "a message did not arrive");
    String id = provider.messageId(received);
    Broken.unless(id != null, "a message has no id");
    return id;
  }

  private void order() throws Exception {
    String name = name("order");
    Subscription subscription = broker.subscribe(name, null);
    for (int i = 0; i < ORDERED; i++) {
      broker.publish(topic(name, String.valueOf(i)));
    }
    for (int i = 0; i < ORDERED; i++) {
      expect(String.valueOf(i), text(subscription.next().message().payload()), "order");
    }
  }

  private void bodies() throws Exception {
    String name = name("bodies");
    Subscription subscription = broker.subscribe(name, null);
    Map<PayloadKind, List<byte[]>> bodies = new LinkedHashMap<>();
    bodies.put(
        PayloadKind.TEXT, List.of("".getBytes(UTF_8), "\u00e4\u20ac\ud83d\ude00".getBytes(UTF_8)));
    bodies.put(PayloadKind.BYTES, List.of(new byte[] {0, 1, -1}));
    bodies.put(PayloadKind.JSON, List.of("{\"n\":1}".getBytes(UTF_8), "[1,\"x\"]".getBytes(UTF_8)));
    for (Map.Entry<PayloadKind, List<byte[]>> kind : bodies.entrySet()) {
      for (byte[] body : kind.getValue()) {
        broker.publish(
            new Publication(
                Destination.topic(name), kind.getKey(), body, Map.of(), PublishHeaders.DEFAULT));
        Message received = subscription.next().message();
        expect(kind.getKey(), received.kind(), "kind of a body");
        boolean same =
            kind.getKey() == PayloadKind.JSON
                ? Json.decodeValue(text(body)).equals(Json.decodeValue(text(received.payload())))
                : Arrays.equals(body, received.payload());
        Broken.unless(same, "a body of kind " + kind.getKey() + " changed");
      }
    }
  }

  private void properties() throws Exception {
    String name = name("properties");
    Subscription subscription = broker.subscribe(name, null);
    Map<String, Object> sent = Map.of(TEXT, "\u00e4", LONG, 1L << 40, DOUBLE, 1.5, FLAG, true);
    broker.publish(
        new Publication(
            Destination.topic(name), PayloadKind.TEXT, new byte[0], sent, PublishHeaders.DEFAULT));
    byte[] received = subscription.next().message().properties();
    Broken.unless(received != null, "no properties");
    JsonObject properties = new JsonObject(text(received));
    for (Map.Entry<String, Object> each : sent.entrySet()) {
      expect(each.getValue(), properties.getValue(each.getKey()), "property " + each.getKey());
    }
  }

  private void large() throws Exception {
    String name = name("large");
    Subscription subscription = broker.subscribe(name, null);
    byte[] body = new byte[(int) Math.min(LARGE, options.messageBytes())];
    Arrays.fill(body, (byte) 'x');
    broker.publish(
        new Publication(
            Destination.topic(name), PayloadKind.BYTES, body, Map.of(), PublishHeaders.DEFAULT));
    Broken.unless(Arrays.equals(body, subscription.next().message().payload()), "the body changed");
  }

  private void priority() throws Exception {
    String name = name("priority");
    Subscription subscription = broker.subscribe(name, null);
    broker.publish(publication(Destination.topic(name), "x", headers(HIGH_PRIORITY, 0, 0)));
    expect(HIGH_PRIORITY, subscription.next().delivery().priority(), "priority");
  }

  private static Publication numbered(Destination to, int number) {
    return new Publication(
        to,
        PayloadKind.TEXT,
        String.valueOf(number).getBytes(UTF_8),
        Map.of(LONG, (long) number),
        EXPIRING);
  }

  private void topicSelectors() throws Exception {
    String name = name("topic-selectors");
    Subscription subscription = broker.subscribe(name, LONG + " = 2");
    for (int i = 1; i <= 2; i++) {
      broker.publish(numbered(Destination.topic(name), i));
    }
    expect("2", text(subscription.next().message().payload()), "selected message");
  }

  private void patterns() throws Exception {
    String name = name(PATTERNS);
    Subscription level = broker.subscribe(name + ".*.c", null);
    Subscription rest = broker.subscribe(name + ".>", null);
    broker.publish(topic(name + ".b.c", "x"));
    expect(name + ".b.c", level.next().message().topic(), "topic of a message for *");
    expect(name + ".b.c", rest.next().message().topic(), "topic of a message for >");
    broker.publish(topic(name + ".b.c.d", "y"));
    expect(name + ".b.c.d", rest.next().message().topic(), "topic of a message for >");
    Broken.unless(level.poll(ABSENT_MS) == null, "* received a message of two levels");
  }

  private void send(String queue, String... texts) throws Exception {
    for (String text : texts) {
      broker.publish(queue(queue, text));
    }
  }

  private void queues() throws Exception {
    String name = name("queues");
    send(name, "a", "b");
    try (Consumer consumer = broker.consume(name, null, 1)) {
      QueueDelivery first = consumer.next();
      expect("a", text(first.payload()), "first message");
      expectNone(consumer, "more messages than the credit");
      consumer.settle(first, Settlement.ACK);
      QueueDelivery second = consumer.next();
      expect("b", text(second.payload()), "second message");
      consumer.settle(second, Settlement.ACK);
    }
    try (Consumer again = broker.consume(name, null, 1)) {
      expectNone(again, "an acknowledged message was delivered again");
    }
  }

  private void release() throws Exception {
    String name = name("release");
    send(name, "a");
    try (Consumer consumer = broker.consume(name, null, 1)) {
      consumer.settle(consumer.next(), Settlement.RELEASE);
      QueueDelivery again = consumer.next();
      expect("a", text(again.payload()), "released message");
      Broken.unless(again.redelivery() != Redelivery.NONE, "a redelivery is not marked");
      consumer.settle(again, Settlement.ACK);
    }
  }

  private void reject() throws Exception {
    String name = name("reject");
    send(name, "bad", "good");
    try (Consumer consumer = broker.consume(name, null, 1);
        Consumer dead = broker.consume(base + ".dead", null, 1)) {
      consumer.settle(consumer.next(), Settlement.REJECT);
      expect("bad", next(dead), "dead letter");
      expect("good", next(consumer), "message after a rejected one");
    }
  }

  private void browse() throws Exception {
    String name = name("browse");
    send(name, "a", "b");
    List<String> found = new ArrayList<>();
    for (QueueDelivery each : broker.browse(name, null)) {
      found.add(text(each.payload()));
    }
    expect(List.of("a", "b"), found, "browsed messages");
    try (Consumer consumer = broker.consume(name, null, 1)) {
      expect("a", next(consumer), "message after the browse");
    }
  }

  private void queueSelectors() throws Exception {
    String name = name("queue-selectors");
    for (int i = 1; i <= 2; i++) {
      broker.publish(numbered(Destination.queue(name), i));
    }
    expect(1, broker.browse(name, LONG + " = 2").size(), "number of browsed messages");
    try (Consumer consumer = broker.consume(name, LONG + " = 2", 1)) {
      expect("2", next(consumer), "selected message");
    }
  }

  private void ttl() throws Exception {
    String name = name("ttl");
    broker.publish(
        publication(
            Destination.queue(name), "x", headers(PublishHeaders.DEFAULT_PRIORITY, TTL_MS, 0)));
    Thread.sleep(2 * TTL_MS);
    try (Consumer consumer = broker.consume(name, null, 1)) {
      expectNone(consumer, "an expired message was delivered");
    }
  }

  /** Two nodes share a subscription. */
  private void shared(String check, boolean pattern) throws Exception {
    String name = name(check);
    String topic = pattern ? name + ".>" : name;
    TopicSubscription subscription = new TopicSubscription(PRINCIPAL, topic, "shared", false);
    try (CheckedBroker node = new CheckedBroker(options)) {
      node.awaitConnected();
      shared(subscription, node, pattern ? name + ".a" : name);
    }
  }

  private void shared(TopicSubscription subscription, CheckedBroker node, String topic)
      throws Exception {
    try (Consumer one = broker.consume(subscription, 1);
        Consumer other = node.consume(subscription, 1)) {
      for (int i = 0; i < SHARED; i++) {
        broker.publish(topic(topic, String.valueOf(i)));
      }
      Set<String> received = new HashSet<>();
      long untilNs = System.nanoTime() + CheckedBroker.WAIT_MS * 1_000_000;
      while (received.size() < SHARED && untilNs - System.nanoTime() > 0) {
        for (Consumer each : List.of(one, other)) {
          QueueDelivery delivery = each.poll(50);
          if (delivery != null) {
            Broken.unless(received.add(text(delivery.payload())), "a message arrived twice");
            each.settle(delivery, Settlement.ACK);
          }
        }
      }
      expect(SHARED, received.size(), "number of messages");
    }
  }

  private void durable(String check, boolean pattern) throws Exception {
    String name = name(check);
    String topic = pattern ? name + ".>" : name;
    String source = pattern ? name + ".a" : name;
    TopicSubscription subscription =
        new TopicSubscription(PRINCIPAL, topic, base.substring(base.lastIndexOf('.') + 1), true);
    try {
      durable(subscription, source);
    } finally {
      delete(subscription);
    }
  }

  // A check that failed may have left it.
  private void delete(TopicSubscription subscription) throws InterruptedException {
    try {
      broker.delete(subscription);
    } catch (Refused | Broken e) {
      log.atDebug().setCause(e).log("subscription was not deleted");
    }
  }

  /** Three nodes use a subscription one after the other. */
  private void durable(TopicSubscription subscription, String source) throws Exception {
    try (Consumer consumer = broker.consume(subscription, 1)) {
      broker.publish(topic(source, "a"));
      QueueDelivery first = consumer.next();
      expect("a", text(first.payload()), "first message");
      consumer.settle(first, Settlement.ACK);
    }
    broker.publish(topic(source, "b"));
    try (CheckedBroker node = new CheckedBroker(options)) {
      node.awaitConnected();
      try (Consumer consumer = node.consume(subscription, 1)) {
        QueueDelivery kept = consumer.next();
        expect("b", text(kept.payload()), "message while there was no consumer");
        consumer.settle(kept, Settlement.ACK);
      }
    }
    broker.publish(topic(source, "c"));
    try (CheckedBroker node = new CheckedBroker(options)) {
      node.awaitConnected();
      node.delete(subscription);
      try (Consumer consumer = node.consume(subscription, 1)) {
        expectNone(consumer, "a deleted subscription has kept a message");
      }
    }
  }

  /** Two nodes have a durable subscription of the same name. */
  private void nodeDurable() throws Exception {
    String name = name("node-durable");
    List<Provider> nodes = options.nodes().stream().map(ProviderOptions::newProvider).toList();
    for (Provider node : nodes) {
      try (Connection connection = node.connect(0, () -> {})) {
        nodeDurable(node, connection, name).close();
      }
    }
    broker.publish(topic(name, "a"));
    for (Provider node : nodes) {
      try (Connection connection = node.connect(0, () -> {});
          Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
        BlockingQueue<jakarta.jms.Message> received = new LinkedBlockingQueue<>();
        MessageConsumer consumer = nodeDurable(node, connection, name);
        consumer.setMessageListener(received::add);
        connection.start();
        Broken.unless(
            received.poll(CheckedBroker.WAIT_MS, TimeUnit.MILLISECONDS) != null,
            "a node did not receive the message while it had no consumer");
        consumer.close();
        node.unsubscribe(session, providerTopic(node, session, name), name);
      }
    }
  }

  private static MessageConsumer nodeDurable(Provider node, Connection connection, String name)
      throws JMSException {
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    return node.durableConsumer(session, providerTopic(node, session, name), name);
  }

  private static Topic providerTopic(Provider node, Session session, String name)
      throws JMSException {
    return node.topic(session, node.wildcards().toProvider(name));
  }

  private void requests() throws Exception {
    String name = name("requests");
    try (Consumer responder = broker.consume(name, null, 1)) {
      CompletableFuture<Reply> reply = broker.request(queue(name, "question"));
      QueueDelivery request = responder.next();
      Broken.unless(request.replyTo() != null, "the request has no reply destination");
      responder.respond(request, queue(name, "answer"));
      responder.settle(request, Settlement.ACK);
      expect("answer", text(reply.get().payload()), "reply");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Refused refused ? refused : e;
    }
  }

  private void transactions() throws Exception {
    String one = name("transaction-one");
    String other = name("transaction-other");
    broker.transact(List.of(queue(one, "a"), queue(other, "b")));
    try (Consumer first = broker.consume(one, null, 1);
        Consumer second = broker.consume(other, null, 1)) {
      expect("a", next(first), "first message");
      expect("b", next(second), "second message");
    }
  }

  private void transactedAcks() throws Exception {
    String from = name("acks-from");
    String to = name("acks-to");
    send(from, "a");
    try (Consumer consumer = broker.consume(from, null, 1)) {
      consumer.transact(consumer.next(), queue(to, "b"));
    }
    try (Consumer moved = broker.consume(to, null, 1);
        Consumer rest = broker.consume(from, null, 1)) {
      expect("b", next(moved), "published message");
      expectNone(rest, "an acknowledged message was delivered again");
    }
  }

  private void delay() throws Exception {
    String name = name("delay");
    try (Consumer consumer = broker.consume(name, null, 1)) {
      long sentNs = System.nanoTime();
      broker.publish(
          publication(
              Destination.queue(name), "x", headers(PublishHeaders.DEFAULT_PRIORITY, 0, DELAY_MS)));
      QueueDelivery late = consumer.poll(CheckedBroker.WAIT_MS);
      Broken.unless(late != null, "the broker accepted the message and did not deliver it");
      long afterMs = (System.nanoTime() - sentNs) / 1_000_000;
      Broken.unless(
          afterMs >= DELAY_MS - DELAY_MS / 10,
          "a delay of " + DELAY_MS + " ms ended after " + afterMs + " ms");
    }
  }

  private void credentials() throws Exception {
    if (options.wrong() == null) {
      throw new Unchecked("broker.user is not set");
    }
    Connection accepted;
    try {
      accepted = options.wrong().newProvider().connect(0, () -> {});
    } catch (Exception e) { // clients report it in different ways
      return;
    }
    accepted.close();
    throw new Broken("the broker accepts a wrong password");
  }
}
