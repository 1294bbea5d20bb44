package io.sluice.testkit;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.QueueConnection;
import jakarta.jms.QueueRequestor;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.apache.activemq.artemis.api.core.management.ResourceNames;
import org.apache.activemq.artemis.api.jms.management.JMSManagementHelper;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Embedded Artemis in a child JVM, as the demo starts it. Bound to the test's thread. A broker
 * without options is reused by the next test, after its addresses are deleted.
 */
public final class ArtemisProcess implements TestBroker {
  /** Deleting more addresses costs more than a new broker. */
  private static final int MAX_ADDRESSES = 100;

  /** Addresses that every broker has. */
  private static final Set<String> INTERNAL =
      Set.of("activemq.management", "activemq.notifications", "dead-letters", "expired");

  private static final Deque<BrokerJvm> IDLE = new ConcurrentLinkedDeque<>();

  private final List<String> options;
  private BrokerJvm jvm;
  private int port;
  private boolean intact;

  private ArtemisProcess(List<String> options) {
    this.options = options;
    jvm = options.isEmpty() ? IDLE.poll() : null;
    if (jvm == null) {
      restart();
    }
    port = jvm.port();
    intact = options.isEmpty();
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
    jvm.pause();
  }

  /** Continues the process after {@link #pause}. */
  public void resume() {
    jvm.resume();
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

  private Object manage(Request request) {
    try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url());
        Connection connection = factory.createQueueConnection()) {
      QueueSession session =
          ((QueueConnection) connection).createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
      QueueRequestor requestor =
          new QueueRequestor(session, session.createQueue("activemq.management"));
      connection.start();
      Message message = session.createMessage();
      request.fill(message);
      Message answer = requestor.request(message);
      if (!JMSManagementHelper.hasOperationSucceeded(answer)) {
        throw new AssertionError("management: " + JMSManagementHelper.getResult(answer));
      }
      return JMSManagementHelper.getResult(answer);
    } catch (Exception e) {
      throw new AssertionError("the management request failed", e);
    }
  }

  @Override
  public void close() {
    if (intact && isReset()) {
      IDLE.push(jvm);
    } else {
      jvm.stop();
    }
  }

  /** Deletes all addresses; returns false if a client is still connected. */
  private boolean isReset() {
    try {
      await()
          .atMost(Duration.ofSeconds(1))
          .pollInterval(Duration.ofMillis(10))
          .until(() -> connections() == 0);
      List<String> used = addresses().stream().filter(name -> !INTERNAL.contains(name)).toList();
      if (used.size() > MAX_ADDRESSES) {
        return false;
      }
      used.forEach(name -> invoke(ResourceNames.BROKER, "deleteAddress", name, true));
      return true;
    } catch (ConditionTimeoutException | AssertionError e) {
      return false;
    }
  }
}
