package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer at the broker, in a JMS session of its own, and whoever listens to it. Bound to the
 * control thread.
 */
abstract class BrokerInterest implements Broker.Consumer {
  private static final Logger log = LoggerFactory.getLogger(BrokerInterest.class);

  private final JmsBroker broker;
  private final String pattern;
  private final int acknowledge;
  private Session session;
  private boolean closed;

  /**
   * Creates one that is not open yet.
   *
   * @param acknowledge how the JMS session acknowledges messages
   */
  BrokerInterest(JmsBroker broker, String pattern, int acknowledge) {
    this.broker = broker;
    this.pattern = pattern;
    this.acknowledge = acknowledge;
  }

  /** Creates the consumer. */
  abstract MessageConsumer consume(Session opened, Topic topic, Provider provider)
      throws JMSException;

  /** The consumer is there: tells the listener, then takes messages. */
  abstract void begin(MessageConsumer consumer, Incoming incoming) throws JMSException;

  /** What its consumer still delivers does not count. */
  abstract void retire();

  /** Whether the broker has closed this consumer alone. */
  abstract boolean isBroken();

  /** The broker does not give it. */
  abstract void refuse(ErrorCode code, String why);

  @Override
  public final void close() {
    closed = true;
    broker.remove(this);
    drop();
    log.atDebug().addKeyValue("topic", pattern).log("interest.closed");
  }

  private void closeQuietly(Session open) {
    try {
      open.close();
    } catch (Throwable e) {
      log.atDebug().addKeyValue("topic", pattern).setCause(e).log("session did not close");
    }
  }

  final boolean isClosed() {
    return closed;
  }

  final String pattern() {
    return pattern;
  }

  /** Creates the consumer; nothing is delivered before the listener has heard that it stands. */
  final void open(BrokerConnection connection, Provider provider, MessageReader reader)
      throws JMSException {
    Session opened = connection.jms().createSession(false, acknowledge);
    try {
      Topic topic = provider.topic(opened, provider.wildcards().toProvider(pattern));
      MessageConsumer consumer = consume(opened, topic, provider);
      session = opened;
      begin(consumer, new Incoming(broker, pattern, provider, reader, connection::onArrival));
    } catch (Throwable e) {
      forget();
      closeQuietly(opened);
      throw e;
    }
    log.atDebug().addKeyValue("topic", pattern).log("interest.opened");
  }

  /** The connection is gone: what it still delivers does not count. */
  final void forget() {
    retire();
    session = null;
  }

  /** Gives a broken consumer up, so that it can be opened again. */
  final void drop() {
    Session open = session;
    forget();
    if (open != null) {
      closeQuietly(open);
    }
  }

  /**
   * The JMS client tells nobody when a broker closes one consumer alone, as when somebody deletes
   * its queue or drops it for being slow; a closed consumer answers no call.
   */
  static boolean isClosed(MessageConsumer consumer) {
    try {
      consumer.getMessageListener();
      return false;
    } catch (JMSException | RuntimeException e) {
      return true;
    }
  }
}
