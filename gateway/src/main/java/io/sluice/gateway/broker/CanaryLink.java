package io.sluice.gateway.broker;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of the canaries over one connection: out to a topic of their own and back. Bound to the
 * canary's thread; they come back on a thread of the JMS client, as messages do.
 */
final class CanaryLink {
  private static final Logger log = LoggerFactory.getLogger(CanaryLink.class);
  private static final String NUMBER = "number";

  /**
   * Nothing shall pile up at the broker. Not much shorter: the broker measures it with its own
   * clock, and what it takes for expired never comes back.
   */
  private static final long TIME_TO_LIVE_MS = 300_000;

  // Two sessions: one that delivers may be used by no other thread.
  private final Session receiving;
  private final Session sending;
  private final MessageConsumer consumer;
  private final MessageProducer producer;

  private CanaryLink(
      Session receiving, MessageConsumer consumer, Session sending, MessageProducer producer) {
    this.receiving = receiving;
    this.consumer = consumer;
    this.sending = sending;
    this.producer = producer;
  }

  /** Receives canaries that have returned. Called on a thread of the JMS client. */
  interface Listener {
    /** A canary has returned. */
    void onReturned(long number, long sequence);
  }

  /** Opens the sessions. May block as long as the JMS client lets it. */
  static CanaryLink open(Connection connection, Provider provider, String name, Listener onReturned)
      throws JMSException {
    Session receiving = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    Session sending = null;
    try {
      Topic topic = provider.topic(receiving, provider.wildcards().toProvider(name));
      MessageConsumer consumer = receiving.createConsumer(topic);
      consumer.setMessageListener(message -> onMessage(message, provider, onReturned));
      sending = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageProducer producer = sending.createProducer(topic);
      producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
      producer.setTimeToLive(TIME_TO_LIVE_MS);
      return new CanaryLink(receiving, consumer, sending, producer);
    } catch (JMSException | RuntimeException e) {
      closeQuietly(receiving);
      closeQuietly(sending);
      throw e;
    }
  }

  private static void onMessage(Message message, Provider provider, Listener onReturned) {
    try {
      onReturned.onReturned(message.getLongProperty(NUMBER), provider.sequence(message));
    } catch (JMSException | NumberFormatException e) {
      log.atDebug().setCause(e).log("a message on the canary's topic is none");
    }
  }

  /** Sends one. May block as long as the JMS client lets it. */
  void send(long number) throws JMSException {
    Message canary = sending.createMessage();
    canary.setLongProperty(NUMBER, number);
    producer.send(canary);
  }

  /** Whether the broker has closed the consumer alone, as {@link BrokerInterest#isBroken}. */
  boolean isBroken() {
    try {
      return consumer.getMessageListener() == null;
    } catch (JMSException | RuntimeException e) {
      return true;
    }
  }

  void close() {
    closeQuietly(receiving);
    closeQuietly(sending);
  }

  private static void closeQuietly(Session session) {
    if (session == null) {
      return;
    }
    try {
      session.close();
    } catch (JMSException | RuntimeException e) {
      log.atDebug().setCause(e).log("a canary's session did not close");
    }
  }
}
