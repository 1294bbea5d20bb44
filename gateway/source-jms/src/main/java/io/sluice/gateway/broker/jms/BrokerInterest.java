package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Broker consumer of one topic or pattern, and its listener. Bound to the control thread, except
 * where a method states otherwise.
 */
abstract class BrokerInterest implements Broker.Consumer {
  private static final Logger log = LoggerFactory.getLogger(BrokerInterest.class);

  private final Owner owner;
  private final InterestKey key;
  private final int acknowledge;
  private OpenedConsumer current;
  private boolean opening;
  private boolean closed;

  /** Owner of interests. Control thread, except where a method states otherwise. */
  interface Owner {
    /** Removes an interest that was closed. */
    void remove(BrokerInterest interest);

    /** Closes a consumer that an interest no longer needs. */
    void close(OpenedConsumer unused);

    /** Returns when the broker supports patterns, or fails. Any thread; waits for the broker. */
    void requirePatterns() throws JMSException;

    /** The broker has closed the consumer of an interest. Any thread. */
    void onDisconnect();
  }

  /** Evaluates a condition on the control thread; false also if the opening is obsolete. */
  @FunctionalInterface
  interface ControlThread {
    boolean evaluate(BooleanSupplier condition) throws JMSException;
  }

  /**
   * Creates an interest that is not open.
   *
   * @param acknowledge acknowledgement mode of the JMS session
   */
  BrokerInterest(Owner owner, InterestKey key, int acknowledge) {
    this.owner = owner;
    this.key = key;
    this.acknowledge = acknowledge;
  }

  /**
   * Creates the consumer; waits for the broker. Any thread: changes state only by {@code control}.
   */
  abstract OpenedConsumer consume(
      ConsumerSession session, Topic topic, Provider provider, ControlThread control)
      throws JMSException;

  /** Returns the key of the first user; empty for the node. */
  String user() {
    return "";
  }

  /** Returns whether it is a durable subscription, which has a dedicated session. Any thread. */
  abstract boolean isDurable();

  /** Notifies the listener of the new consumer, then starts to receive messages. */
  abstract void begin(OpenedConsumer opened, Provider provider, MessageReader incoming)
      throws JMSException;

  /** Discards messages that its consumer delivers from now on. */
  abstract void retire();

  /** Returns whether the consumer has to be opened again, because the broker closed only it. */
  abstract boolean isBroken();

  /**
   * Returns how far its latest message was {@linkplain BrokerConnection#behind behind} the others;
   * 0 if it was not, or arrived too long ago.
   */
  long behind() {
    return 0;
  }

  /** Notifies the listener that the broker refuses the interest. */
  abstract void refuse(ErrorCode code, String why);

  @Override
  public final void close() {
    closed = true;
    owner.remove(this);
    OpenedConsumer unused = release();
    if (unused != null) {
      owner.close(unused);
    }
    log.atDebug().addKeyValue("topic", key).log("interest.closed");
  }

  final Owner owner() {
    return owner;
  }

  final boolean isClosed() {
    return closed;
  }

  /** Returns whether it is queued to be opened, or is being opened. */
  final boolean isOpening() {
    return opening;
  }

  final void setOpening(boolean isOpening) {
    opening = isOpening;
  }

  final InterestKey key() {
    return key;
  }

  /** Returns the topic or pattern. */
  final String pattern() {
    return key.topic();
  }

  /** Creates a consumer without a listener. Any thread; waits for the broker. */
  final OpenedConsumer create(ConsumerSession session, Provider provider, ControlThread control)
      throws JMSException {
    if (TopicPattern.isPattern(pattern())) {
      owner.requirePatterns();
    }
    Session opened = session.open(provider, acknowledge);
    Topic topic = provider.topic(opened, provider.wildcards().toProvider(pattern()));
    return consume(session, topic, provider, control);
  }

  /**
   * Starts delivery of a new consumer. The listener is notified of it before the first message.
   *
   * @param arrivals action that runs for each message that arrives
   */
  final void begin(OpenedConsumer opened, MessageReader.Rules rules, Runnable arrivals)
      throws JMSException {
    try {
      current = opened;
      begin(opened, rules.provider(), new MessageReader(rules, key, arrivals));
    } catch (Throwable e) {
      discard();
      throw e;
    }
    log.atDebug().addKeyValue("topic", key).log("interest.opened");
  }

  /** Discards the consumer of a lost connection, and messages that it still delivers. */
  final void discard() {
    retire();
    current = null;
  }

  /** Detaches and returns its consumer, which the caller has to close; null if it has none. */
  final OpenedConsumer release() {
    OpenedConsumer unused = current;
    discard();
    return unused;
  }

  /**
   * Returns whether the JMS client has closed a consumer, because the broker did. A closed consumer
   * throws.
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
