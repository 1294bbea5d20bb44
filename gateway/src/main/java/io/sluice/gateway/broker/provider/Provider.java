package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.Broker;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What differs between JMS providers. Used on the control thread, but where a method says
 * otherwise.
 */
public interface Provider {
  /** Log of what providers ignore. */
  Logger log = LoggerFactory.getLogger(Provider.class);

  /** The index of the connection for publishing, which never delivers. */
  int PUBLISHING = -1;

  /**
   * Connects, without starting delivery. The control thread; for {@link #PUBLISHING} any other one.
   *
   * @param index which of the node's connections it is, from 0, or {@link #PUBLISHING}
   * @param onLost to be run, on any thread, perhaps more than once, when the connection is lost
   * @throws Exception whatever the provider, its class loading or its lookup fails with
   */
  Connection connect(int index, Runnable onLost) throws Exception;

  /** A topic or pattern, in the provider's spelling. Any thread that owns the session. */
  default Topic topic(Session session, String name) throws JMSException {
    return session.createTopic(name);
  }

  /**
   * Whether {@link #send} calls its listener only when the broker has confirmed the message. Any
   * thread.
   */
  default boolean confirmsAsynchronously() {
    return false;
  }

  /**
   * Whether the first send to a topic may ask the broker for it and wait for the answer. Any
   * thread.
   */
  default boolean asksForTopics() {
    return true;
  }

  /** Sends without waiting for the broker. Any thread that owns the producer's session. */
  default void send(
      MessageProducer producer, Topic topic, Message message, CompletionListener listener)
      throws JMSException {
    producer.send(topic, message, listener);
  }

  /** What {@link #keptMessages} answers if there is no such subscription. */
  long NO_SUBSCRIPTION = -1;

  /** What {@link #keptMessages} answers if the provider does not say. */
  long UNKNOWN = -2;

  /** How many messages the node's durable subscription of this name has, if it is there. */
  default long keptMessages(Session session, String name) throws JMSException {
    return UNKNOWN;
  }

  /**
   * Whether a durable subscription to a pattern gives what it has kept in the order in which the
   * broker took it, whichever topics the messages are of. That of one topic is always kept.
   */
  default boolean keepsOrderAcrossTopics() {
    return false;
  }

  /**
   * The most consumers that are not durable on one session. JMS itself does not allow to open a
   * consumer on a session that delivers to another one. Any thread.
   */
  default int consumersPerSession() {
    return 1;
  }

  /** Opens a session for consumers. Any thread; waits for the broker. */
  default Session session(Connection connection, int acknowledge) throws JMSException {
    return connection.createSession(false, acknowledge);
  }

  /**
   * Opens a consumer that is not durable. The thread to which the session is lent; waits for the
   * broker.
   */
  default MessageConsumer consumer(Session session, Topic topic) throws JMSException {
    return session.createConsumer(topic);
  }

  /**
   * Whether a session can be used further after a consumer could not be opened on it: the failure
   * concerns that consumer alone. Any thread.
   *
   * @param session the session; null if it could not be opened
   */
  default boolean isUsableAfter(Session session, Throwable failure) {
    return isDenial(failure);
  }

  /**
   * Returns whether the client has closed a session, or closed it because the broker did. Any
   * thread.
   *
   * @param session the session; null if it could not be opened
   */
  default boolean isClosed(Session session) {
    return false;
  }

  /** Returns whether consumers left queues at the broker that their sessions cannot delete. */
  default boolean hasOrphanedQueues() {
    return false;
  }

  /**
   * Deletes these queues on a new session. Any thread; waits for the broker and never fails. Queues
   * that the broker does not delete remain for the next call.
   */
  default void deleteOrphanedQueues(Connection connection) {}

  /** Whether the broker has answered that a topic does not exist or is forbidden. */
  static boolean isDenial(Throwable failure) {
    return failure instanceof InvalidDestinationException
        || failure instanceof JMSSecurityException;
  }

  /**
   * Runs an action when the broker closes a consumer, before anything that the connection receives
   * later is handled. Providers that cannot notify do nothing: {@link
   * MessageConsumer#getMessageListener} then fails some time later. Any thread; so is the action's.
   */
  default void onDisconnect(MessageConsumer consumer, Runnable action) {}

  /**
   * Whether the client has received messages of a consumer that wait for other consumers of its
   * session. Any thread.
   */
  default boolean holdsMessages(MessageConsumer consumer) {
    return false;
  }

  /** Closes a consumer. Any thread; waits for the broker and never fails. */
  default void close(MessageConsumer consumer) {
    try {
      consumer.close();
    } catch (Throwable e) { // the broker closes it with the connection
      log.atDebug().setCause(e).log("consumer did not close");
    }
  }

  /**
   * Closes a session and its last consumer. Any thread; waits for the broker and never fails.
   *
   * @param connection the connection of the session
   */
  default void close(MessageConsumer consumer, Session session, Connection connection) {
    closeQuietly(session);
  }

  /** Closes a session. Any thread. */
  static void closeQuietly(Session session) {
    try {
      session.close();
    } catch (Throwable e) { // the broker closes it with the connection
      log.atDebug().setCause(e).log("session did not close");
    }
  }

  /** Receiver of messages of which some cannot be decoded. */
  interface Listener extends MessageListener {
    /**
     * A message arrived whose type is unknown or whose body cannot be decoded. Called like {@link
     * #onMessage}.
     *
     * @param sequence the broker's number of the message
     * @param priority its JMS priority
     */
    void onUndecodable(long sequence, int priority, Throwable cause);
  }

  /** How this provider spells topics and wildcards. */
  Wildcards wildcards();

  /** The concrete topic of a message, in the provider's spelling. Any thread. */
  default String topicOf(Message message) throws JMSException {
    if (message.getJMSDestination() instanceof Topic topic) {
      return topic.getTopicName();
    }
    throw new JMSException("the message does not name its topic");
  }

  /** The size of a message's body as it came, before it is read; -1 if unknown. Any thread. */
  default long bodyBytes(Message message) {
    return -1;
  }

  /** What the broker calls a message, the same for everybody; null if nothing. Any thread. */
  default String messageId(Message message) throws JMSException {
    return message.getJMSMessageID();
  }

  /**
   * The broker's number of a message, rising in the order in which the broker accepted messages but
   * for concurrent ones; {@link Broker#NO_SEQUENCE} if it has none. Any thread.
   */
  default long sequence(Message message) {
    return Broker.NO_SEQUENCE;
  }

  /** When the broker took a message, or its publisher sent it. Any thread. */
  default long timeMs(Message message) throws JMSException {
    return message.getJMSTimestamp();
  }

  /**
   * Whether this provider takes a valid topic or pattern of ours for the name of just that: a name
   * with an address syntax of the provider's own may reach what nobody was meant to. What an
   * unknown provider reads into a name is unknown, so the syntax of all known ones is kept from it.
   * Any thread.
   */
  default boolean isPlainName(String topic) {
    return topic.indexOf(',') < 0
        && topic.indexOf('?') < 0
        && !topic.contains("::")
        && !topic.startsWith("ID:");
  }

  /** Whether a topic is the broker's own business: never read or written for clients. */
  default boolean isInternal(String topic) {
    return false;
  }
}
