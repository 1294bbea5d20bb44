package io.sluice.testkit;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.activemq.artemis.api.core.management.ResourceNames;
import org.apache.activemq.artemis.api.jms.management.JMSManagementHelper;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Embedded Artemis in a child JVM, as the demo starts it. Bound to the test's thread. Most brokers
 * are reused by the next test with the same options, after their addresses are deleted.
 */
public final class ArtemisProcess implements TestBroker {
  /** Deleting more addresses costs more than a new broker. */
  private static final int MAX_ADDRESSES = 100;

  /** Addresses that every broker has. */
  private static final Set<String> INTERNAL =
      Set.of("activemq.management", "activemq.notifications", "dead-letters", "expired");

  /** Options of brokers that keep more than addresses, or do not let the test manage them. */
  private static final Set<String> UNSHARED =
      Set.of("--data", "--key-store", "--last-value", "--retroactive", "--user");

  /** Queue of brokers with a limit of attempts. */
  private static final String DEAD_LETTERS = "DLQ";

  /** Brokers without a test need memory. */
  private static final int MAX_IDLE = 3;

  /** The latest first. Guarded by the class. */
  private static final Deque<Idle> IDLE = new ArrayDeque<>();

  /** Broker without a test. */
  private record Idle(List<String> options, BrokerJvm jvm) {}

  private final List<String> options;
  private BrokerJvm jvm;
  private int port;
  private boolean intact;

  /** Null until the first request. Guarded by this: conditions run in threads of Awaitility. */
  private Management management;

  private ArtemisProcess(List<String> options) {
    this.options = options;
    intact = options.stream().noneMatch(UNSHARED::contains);
    jvm = intact ? reuse(options) : null;
    if (jvm == null) {
      restart();
    }
    port = jvm.port();
  }

  private static synchronized BrokerJvm reuse(List<String> options) {
    for (Idle each : IDLE) {
      if (each.options().equals(options)) {
        IDLE.remove(each);
        return each.jvm();
      }
    }
    return null;
  }

  private static synchronized void keep(Idle idle) {
    IDLE.push(idle);
    if (IDLE.size() > MAX_IDLE) {
      IDLE.removeLast().jvm().stop();
    }
  }

  /** Starts a broker without persistence on a free port, or reuses an idle one. */
  public static ArtemisProcess start(String... options) {
    return new ArtemisProcess(List.of(options));
  }

  @Override
  public String provider() {
    return "artemis";
  }

  @Override
  public String url() {
    return "tcp://127.0.0.1:" + port;
  }

  @Override
  public void kill() {
    intact = false;
    closeManagement();
    jvm.kill();
  }

  @Override
  public void restart() {
    List<String> all = new ArrayList<>(List.of("--port", String.valueOf(port)));
    all.addAll(options);
    jvm = BrokerJvm.artemis(all.toArray(String[]::new));
    port = jvm.port();
  }

  /** Suspends the process (SIGSTOP): its connections remain open, but it does not respond. */
  public void pause() {
    intact = false;
    closeManagement(); // it could not be closed later
    jvm.pause();
  }

  /** Continues the process after {@link #pause}. */
  public void resume() {
    jvm.resume();
  }

  /** Limits the process to a part of its time during an action. */
  public void throttle(Runnable action) {
    intact = false;
    Throttle.during(jvm.pid(), action);
  }

  @Override
  public int connections() {
    return (int) number(ResourceNames.BROKER, "connectionCount") - 1;
  }

  @Override
  public int consumers(String topic) {
    return (int) queues(topic);
  }

  @Override
  public int messages(String queue) {
    return exists(queue) ? (int) number(ResourceNames.QUEUE + queue, "messageCount") : 0;
  }

  @Override
  public int queueConsumers(String queue) {
    return exists(queue) ? (int) number(ResourceNames.QUEUE + queue, "consumerCount") : 0;
  }

  // Each consumer of a topic has its own queue, so the address has as many queues as consumers.
  private long queues(String topic) {
    if (!exists(topic)) {
      return 0;
    }
    try {
      Object queues = attribute(ResourceNames.ADDRESS + topic, "queueNames");
      return queues instanceof Object[] all ? all.length : 0;
    } catch (AssertionError e) {
      if (exists(topic)) {
        throw e;
      }
      return 0; // the address was deleted with its last queue between the two requests
    }
  }

  /** Returns the number of messages for the present consumers of a topic so far. */
  public long messagesOut(String topic) {
    Object queues = attribute(ResourceNames.ADDRESS + topic, "queueNames");
    return Stream.of((Object[]) queues)
        .mapToLong(queue -> number(ResourceNames.QUEUE + queue, "messagesAdded"))
        .sum();
  }

  /** Sets the defaults of the queues of matching addresses, as JSON. */
  public void configure(String match, String json) {
    intact = false;
    invoke(ResourceNames.BROKER, "addAddressSettings", match, json);
  }

  /** Deletes the queues of a topic's consumers while they are in use, as an operator may. */
  public void deleteQueues(String topic) {
    for (Object queue : (Object[]) attribute(ResourceNames.ADDRESS + topic, "queueNames")) {
      invoke(ResourceNames.BROKER, "destroyQueue", queue, true, false);
    }
  }

  /** Forwards copies of a topic's messages to other topics, with diverts that do not exclude it. */
  public void forward(String from, String... to) {
    intact = false;
    for (int i = 0; i < to.length; i++) {
      String name = from + "-" + i;
      invoke(ResourceNames.BROKER, "createDivert", name, name, from, to[i], false, null, null);
    }
  }

  /** Closes the session of a topic's consumer, as an operator may. */
  public void closeSession(String topic) {
    JsonNode consumer = consumer(topic);
    invoke(
        ResourceNames.BROKER,
        "closeSessionWithID",
        consumer.get("connectionID").asText(),
        consumer.get("sessionID").asText());
  }

  /** Closes only a topic's consumer, as an operator may. */
  public void closeConsumer(String topic) {
    JsonNode consumer = consumer(topic);
    invoke(
        ResourceNames.BROKER,
        "closeConsumerWithID",
        consumer.get("sessionID").asText(),
        consumer.get("sequentialId").asText());
  }

  private JsonNode consumer(String topic) {
    Object[] queues = (Object[]) attribute(ResourceNames.ADDRESS + topic, "queueNames");
    Object consumers = invoke(ResourceNames.BROKER, "listAllConsumersAsJSON");
    try {
      for (JsonNode consumer : new ObjectMapper().readTree(String.valueOf(consumers))) {
        if (List.of(queues).contains(consumer.get("queueName").asText())) {
          return consumer;
        }
      }
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("no consumer of " + topic);
  }

  private boolean exists(String topic) {
    return addresses().contains(topic);
  }

  /** Returns the existing addresses, topics and patterns, in the broker's syntax. */
  public List<String> addresses() {
    Object names = invoke(ResourceNames.BROKER, "listAddresses", ",");
    return List.of(String.valueOf(names).split(","));
  }

  private long number(String resource, String attribute) {
    return ((Number) attribute(resource, attribute)).longValue();
  }

  private Object attribute(String resource, String attribute) {
    return manage(message -> JMSManagementHelper.putAttribute(message, resource, attribute));
  }

  private Object invoke(String resource, String operation, Object... parameters) {
    return manage(
        message ->
            JMSManagementHelper.putOperationInvocation(message, resource, operation, parameters));
  }

  /** Management request. */
  @FunctionalInterface
  private interface Request {
    void fill(Message message) throws JMSException;
  }

  /** Connection for management requests. */
  private static final class Management implements AutoCloseable {
    private final ActiveMQConnectionFactory factory;
    private final Connection connection;
    private final Session session;
    private final TemporaryQueue replies;
    private final MessageProducer sender;
    private final MessageConsumer receiver;

    Management(String url) throws JMSException {
      factory = new ActiveMQConnectionFactory(url);
      connection = factory.createConnection();
      session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      replies = session.createTemporaryQueue();
      sender = session.createProducer(session.createQueue("activemq.management"));
      receiver = session.createConsumer(replies);
      connection.start();
    }

    Object request(Request request) throws Exception {
      Message message = session.createMessage();
      message.setJMSReplyTo(replies);
      request.fill(message);
      sender.send(message);
      Message answer = receiver.receive();
      if (!JMSManagementHelper.hasOperationSucceeded(answer)) {
        throw new AssertionError("management: " + JMSManagementHelper.getResult(answer));
      }
      return JMSManagementHelper.getResult(answer);
    }

    @Override
    public void close() throws JMSException {
      connection.close();
      factory.close();
    }
  }

  private synchronized Object manage(Request request) {
    try {
      if (management == null) {
        management = new Management(url());
      }
      return management.request(request);
    } catch (Exception e) {
      closeManagement(); // a late answer would be taken for that of the next request
      throw new AssertionError("the management request failed", e);
    }
  }

  private synchronized void closeManagement() {
    if (management == null) {
      return;
    }
    try {
      management.close();
    } catch (JMSException e) {
      // The connection is lost with its broker.
    } finally {
      management = null;
    }
  }

  @Override
  public void close() {
    boolean isReusable = intact && isReset();
    closeManagement();
    if (isReusable) {
      keep(new Idle(options, jvm));
    } else {
      jvm.stop();
    }
  }

  /** Returns the address of the answers to management requests. */
  private synchronized String replies() throws JMSException {
    return management.replies.getQueueName();
  }

  /** Deletes all addresses; returns false if a client is still connected. */
  private boolean isReset() {
    try {
      await()
          .atMost(Duration.ofSeconds(5))
          .pollInterval(Duration.ofMillis(10))
          .until(() -> connections() == 0);
      List<String> used = new ArrayList<>(addresses());
      used.removeAll(INTERNAL);
      used.removeAll(options);
      used.remove(replies());
      if (options.contains("--attempts") && used.remove(DEAD_LETTERS)) {
        invoke(ResourceNames.QUEUE + DEAD_LETTERS, "removeAllMessages");
      }
      if (used.size() > MAX_ADDRESSES) {
        return false;
      }
      used.forEach(this::delete);
      return true;
    } catch (ConditionTimeoutException | AssertionError | JMSException e) {
      return false;
    }
  }

  private void delete(String address) {
    try {
      invoke(ResourceNames.BROKER, "deleteAddress", address, true);
    } catch (AssertionError e) {
      // The address for the reply to an earlier request disappears by itself.
      if (exists(address)) {
        throw e;
      }
    }
  }
}
