package io.sluice.testkit;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.activemq.ActiveMQConnectionFactory;

/**
 * Plain JMS responder, which answers on its JMS client's thread. The correlation id of a reply is
 * that of the request.
 */
public final class JmsResponder implements AutoCloseable {
  /** Creates the reply to a request. */
  @FunctionalInterface
  public interface Handler {
    /** Returns the reply, or null to send none. */
    Message reply(Session session, Message request) throws JMSException;
  }

  private final Connection connection;
  private final Session session;
  private final MessageProducer producer;
  private final Queue<Message> received = new ConcurrentLinkedQueue<>();
  private final Queue<JMSException> failures = new ConcurrentLinkedQueue<>();
  private volatile Handler handler;

  private JmsResponder(Connection connection, Handler handler) throws JMSException {
    this.connection = connection;
    this.handler = handler;
    session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    producer = session.createProducer(null);
    producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
  }

  /** Answers the requests to a queue. */
  public static JmsResponder ofQueue(TestBroker broker, String queue, Handler handler)
      throws JMSException {
    JmsResponder responder = new JmsResponder(connect(broker), handler);
    return responder.consume(responder.session.createQueue(queue));
  }

  /** Answers the requests to a topic. */
  public static JmsResponder ofTopic(TestBroker broker, String topic, Handler handler)
      throws JMSException {
    JmsResponder responder = new JmsResponder(connect(broker), handler);
    return responder.consume(responder.session.createTopic(topic));
  }

  /** Returns a handler that replies with a text. */
  public static Handler text(String text) {
    return (session, request) -> session.createTextMessage(text);
  }

  /** Opens a connection to a broker, without starting it. */
  public static Connection connect(TestBroker broker) throws JMSException {
    ConnectionFactory factory =
        broker.provider().equals("classic")
            ? new ActiveMQConnectionFactory(broker.url())
            : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(broker.url());
    return factory.createConnection();
  }

  private JmsResponder consume(Destination destination) throws JMSException {
    session.createConsumer(destination).setMessageListener(this::onRequest);
    connection.start();
    return this;
  }

  private void onRequest(Message request) {
    received.add(request);
    try {
      Message reply = handler.reply(session, request);
      if (reply != null) {
        reply(request, reply);
      }
    } catch (JMSException e) {
      failures.add(e);
    }
  }

  private void reply(Message request, Message reply) throws JMSException {
    reply.setJMSCorrelationID(request.getJMSCorrelationID());
    producer.send(request.getJMSReplyTo(), reply);
  }

  /** Replaces the handler. */
  public void handler(Handler next) {
    handler = next;
  }

  /** Answers an earlier request, on the thread of the test. The handler must not be replying. */
  public void replyLater(Message request, String text) throws JMSException {
    reply(request, session.createTextMessage(text));
  }

  /** Returns the requests so far. */
  public Queue<Message> received() {
    return received;
  }

  /** Returns the failures of replies so far. */
  public Queue<JMSException> failures() {
    return failures;
  }

  @Override
  public void close() throws JMSException {
    connection.close();
  }
}
