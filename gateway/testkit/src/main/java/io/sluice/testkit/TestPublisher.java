package io.sluice.testkit;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import org.apache.activemq.ActiveMQConnectionFactory;

/** Publisher to a broker by its own JMS client. Bound to the test's thread. */
public final class TestPublisher implements AutoCloseable {
  private final Connection connection;
  private final Session session;
  private final MessageProducer producer;

  public TestPublisher(String provider, String url) throws JMSException {
    connection = factory(provider, url).createConnection();
    connection.start();
    session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    producer = session.createProducer(null);
    producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
  }

  private static ConnectionFactory factory(String provider, String url) {
    return provider.equals("classic")
        ? new ActiveMQConnectionFactory(url)
        : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(url);
  }

  public void text(String topic, String payload) throws JMSException {
    send(topic, session.createTextMessage(payload));
  }

  public void send(String topic, Message message) throws JMSException {
    producer.send(session.createTopic(topic), message);
  }

  /**
   * Sends a message with a JMS priority.
   *
   * @param delayMs delivery delay, which Classic does not support; 0: none
   */
  public void send(String topic, Message message, int priority, long delayMs) throws JMSException {
    if (delayMs > 0) {
      producer.setDeliveryDelay(delayMs);
    }
    producer.send(session.createTopic(topic), message, producer.getDeliveryMode(), priority, 0);
    if (delayMs > 0) {
      producer.setDeliveryDelay(0);
    }
  }

  /** Makes further messages persistent, so that they survive a restart of the broker. */
  public TestPublisher persistent() throws JMSException {
    producer.setDeliveryMode(DeliveryMode.PERSISTENT);
    return this;
  }

  /** Disables the ids of further messages, if the broker's client supports that. */
  public TestPublisher nameless() throws JMSException {
    producer.setDisableMessageID(true);
    return this;
  }

  public Session session() {
    return session;
  }

  @Override
  public void close() throws JMSException {
    connection.close();
  }
}
