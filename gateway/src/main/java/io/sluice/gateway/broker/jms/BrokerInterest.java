package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer at the broker and its listener. Bound to the control thread, unless a method says
 * otherwise.
 */
abstract class BrokerInterest implements Broker.Consumer {
  private static final Logger log = LoggerFactory.getLogger(BrokerInterest.class);

  private final Owner owner;
  private final String pattern;
  private final int acknowledge;
  private OpenedConsumer current;
  private boolean opening;
  private boolean closed;

  /** Owner of interests. Control thread, except where a method says otherwise. */
  interface Owner {
    /** The interest was closed. */
    void remove(BrokerInterest interest);

    /** Closes a consumer that an interest no longer needs. */
    void close(OpenedConsumer unused);

    /** The broker has closed the consumer of an interest. Any thread. */
    void onDisconnect();
  }

  /** Asks a question on the control thread; false also if the opening no longer matters. */
  @FunctionalInterface
  interface ControlThread {
    boolean ask(BooleanSupplier question) throws JMSException;
  }

  /**
   * Creates one that is not open yet.
   *
   * @param acknowledge how the JMS session acknowledges messages
   */
  BrokerInterest(Owner owner, String pattern, int acknowledge) {
    this.owner = owner;
    this.pattern = pattern;
    this.acknowledge = acknowledge;
  }

  /** Creates the consumer. On any thread: changes nothing but by {@code control}. */
  abstract OpenedConsumer consume(
      ConsumerSession session, Topic topic, Provider provider, ControlThread control)
      throws JMSException;

  /** Whether it is a durable subscription, which has a session of its own. Any thread. */
  abstract boolean isDurable();

  /** The consumer exists: notifies the listener, then takes messages. */
  abstract void begin(OpenedConsumer opened, Provider provider, MessageReader incoming)
      throws JMSException;

  /** What its consumer still delivers does not count. */
  abstract void retire();

  /** Whether the broker has closed this consumer alone. */
  abstract boolean isBroken();

  /** The broker does not give it. */
  abstract void refuse(ErrorCode code, String why);

  @Override
  public final void close() {
    closed = true;
    owner.remove(this);
    OpenedConsumer unused = release();
    if (unused != null) {
      owner.close(unused);
    }
    log.atDebug().addKeyValue("topic", pattern).log("interest.closed");
  }

  final Owner owner() {
    return owner;
  }

  final boolean isClosed() {
    return closed;
  }

  /** It waits to be opened, or is being opened. */
  final boolean isOpening() {
    return opening;
  }

  final void opening(boolean isOpening) {
    opening = isOpening;
  }

  final String pattern() {
    return pattern;
  }

  /** Creates a consumer that delivers nothing yet. On any thread; waits for the broker. */
  final OpenedConsumer create(ConsumerSession session, Provider provider, ControlThread control)
      throws JMSException {
    Session opened = session.open(provider, acknowledge);
    Topic topic = provider.topic(opened, provider.wildcards().toProvider(pattern));
    return consume(session, topic, provider, control);
  }

  /**
   * Delivers what a new consumer receives; nothing before the listener was notified of it.
   *
   * @param arrivals run for each message that arrives
   */
  final void begin(OpenedConsumer opened, MessageReader.Rules rules, Runnable arrivals)
      throws JMSException {
    try {
      current = opened;
      begin(opened, rules.provider(), new MessageReader(rules, pattern, arrivals));
    } catch (Throwable e) {
      forget();
      throw e;
    }
    log.atDebug().addKeyValue("topic", pattern).log("interest.opened");
  }

  /** The connection is gone: what it still delivers does not count. */
  final void forget() {
    retire();
    current = null;
  }

  /** Gives up its consumer, or null, which the caller has to close. */
  final OpenedConsumer release() {
    OpenedConsumer unused = current;
    forget();
    return unused;
  }

  /**
   * Whether the JMS client has closed a consumer, because the broker did. A closed consumer throws.
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
