package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.protocol.Feature;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adapter for one JMS provider. Used on the control thread, except where a method states otherwise.
 */
public interface Provider {
  /** Log of errors that providers ignore. */
  Logger log = LoggerFactory.getLogger(Provider.class);

  /** Maximum number of examined causes of a failure. */
  int MAX_CAUSES = 10;

  /** Index of the publishing connection, which delivers no messages. */
  int PUBLISHING = -1;

  /** Index of the connection of the reply queue. */
  int REPLIES = -3;

  /** Index of the connection of the consumers of queues. */
  int QUEUES = -2;

  /** Index of the connections of transactions that share no connection with consumers. */
  int TRANSACTIONS = -4;

  /** Index of the connection of delayed publishes where these have one. */
  int DELAYS = -5;

  /**
   * Connects without starting delivery. The control thread; for negative indexes, and those of
   * further connections while the first ones are open, any other one.
   *
   * @param index index of the connection, from 0, {@link #PUBLISHING}, {@link #QUEUES}, {@link
   *     #REPLIES}, {@link #TRANSACTIONS} or {@link #DELAYS}
   * @param onLost action that runs on any thread, perhaps more than once, when the connection is
   *     lost
   * @throws Exception any failure of the provider, its class loading or its lookup
   */
  Connection connect(int index, Runnable onLost) throws Exception;

  /**
   * Returns a task that runs another one with the class loader of the JMS client as the context
   * class loader of its thread: clients load classes of messages with it. Any thread.
   */
  default Runnable inContext(Runnable task) {
    return task;
  }

  /** Creates a topic from a name in the provider's syntax. Any thread that owns the session. */
  default Topic topic(Session session, String name) throws JMSException {
    return session.createTopic(name);
  }

  /** Returns the optional features of the provider. Any thread. */
  default Set<Feature> features() {
    return Set.of();
  }

  /** Returns whether the provider has a capability. Any thread. */
  default boolean supports(Capability capability) {
    return true;
  }

  /**
   * Returns whether the behavior of the broker is unknown. Then patterns are proven before they are
   * used, and delayed publishes have a separate connection. Any thread.
   */
  default boolean isUnknown() {
    return false;
  }

  /**
   * Returns whether a receive has failed because the client cannot read the message, which an
   * acknowledgement of a later one includes. Any thread.
   */
  default boolean isUnreadable(JMSException failure) {
    return false;
  }

  /**
   * Sets an id: the broker accepts only the first message with it. Any thread.
   *
   * @throws UnsupportedOperationException without {@link Feature#PUBLISH_ID}
   */
  default void setDuplicateId(Message message, String id) throws JMSException {
    throw new UnsupportedOperationException();
  }

  /**
   * Returns whether the broker has refused a message because it has one with the same {@linkplain
   * #setDuplicateId id}. Any thread.
   */
  default boolean isDuplicate(Throwable failure) {
    return false;
  }

  /**
   * Returns whether {@link #send} calls its listener only when the broker has confirmed the
   * message. Any thread.
   */
  default boolean confirmsAsynchronously() {
    return false;
  }

  /**
   * Returns whether the first send to a topic or queue may query the broker and wait for the
   * response. Any thread.
   */
  default boolean queriesTopics() {
    return true;
  }

  /**
   * Fails with an {@link InvalidDestinationException} if a destination for replies does not exist
   * and a send would not report it. Thread that owns the session; may wait for the broker.
   *
   * @return whether the destination is temporary and a send would create it again. Then {@link
   *     #checkSent} must follow the send, which must wait for the broker
   */
  default boolean checkExists(Session session, Destination destination) throws JMSException {
    return false;
  }

  /**
   * Fails with an {@link InvalidDestinationException} if a send has created its temporary
   * destination again, and deletes that destination. Thread that owns the session; waits for the
   * broker.
   */
  default void checkSent(Session session, Destination destination) throws JMSException {}

  /** Returns whether a send has failed because its destination does not exist. Any thread. */
  default boolean isMissingDestination(Throwable failure) {
    return failure instanceof InvalidDestinationException;
  }

  /** Sends without waiting for the broker. Any thread that owns the producer's session. */
  default void send(
      MessageProducer producer,
      Destination destination,
      Message message,
      CompletionListener listener)
      throws JMSException {
    producer.send(destination, message, listener);
  }

  /**
   * Returns whether a send waits, or would wait, because the broker blocks the senders to its
   * destination. Other providers do not report it. Any thread; never waits.
   *
   * @param bytes approximate size of the message
   */
  default boolean isBlocked(Session session, Destination destination, long bytes)
      throws JMSException {
    return false;
  }

  /**
   * Waits for an answer of the broker that follows the credit which it grants at once to senders of
   * a destination. Thread that owns the session.
   */
  default void await(Session session, Destination destination) throws JMSException {}

  /**
   * Requests an answer of the broker that follows the confirmations of all earlier messages of the
   * session, except those for which it has no space. Other providers never run the action. Thread
   * that owns the session; never waits.
   *
   * @param onAnswer runs on any thread
   */
  default void flush(Session session, Runnable onAnswer) throws JMSException {}

  /**
   * Returns whether the broker may block all calls of a connection on which one transaction sends.
   * Any thread.
   */
  default boolean blocksConnections() {
    return true;
  }

  /** Result of {@link #retainedMessages} if there is no such subscription. */
  long NO_SUBSCRIPTION = -1;

  /** Result of {@link #retainedMessages} if the provider does not report the number. */
  long UNKNOWN = -2;

  /**
   * Returns the number of messages in the node's durable subscription of this name. Thread that
   * owns the session; waits for the broker.
   */
  default long retainedMessages(Session session, String name) throws JMSException {
    return UNKNOWN;
  }

  /**
   * Returns whether the broker may select the consumers of a scheduled or transacted message when
   * it is sent. Otherwise it selects them at the delivery. Any thread.
   */
  default boolean selectsConsumersAtSend() {
    return true;
  }

  /**
   * Returns whether a durable subscription to a pattern delivers retained messages of all topics in
   * the order in which the broker accepted them. The order within one topic is always preserved.
   */
  default boolean preservesOrderAcrossTopics() {
    return false;
  }

  /**
   * Returns the maximum number of non-durable consumers on one session. JMS does not permit to open
   * a consumer on a session that delivers to another one. Any thread.
   */
  default int consumersPerSession() {
    return 1;
  }

  /** Opens a session for consumers. Any thread; waits for the broker. */
  default Session session(Connection connection, int acknowledge) throws JMSException {
    return connection.createSession(false, acknowledge);
  }

  /**
   * Opens a non-durable consumer. The thread that has borrowed the session; waits for the broker.
   *
   * @param selector JMS selector, or null for all messages
   * @throws InvalidSelectorException if the selector is invalid
   */
  default MessageConsumer consumer(Session session, Topic topic, String selector)
      throws JMSException {
    return session.createConsumer(topic, selector);
  }

  /**
   * Checks that the broker can evaluate a selector for each message. Any thread.
   *
   * @param selector one within the node's bounds, or null
   * @throws InvalidSelectorException if the evaluation can fail and stop other consumers
   */
  default void checkSelector(String selector) throws InvalidSelectorException {}

  /**
   * Checks a selector of a consumer or a browser of a queue. Any thread.
   *
   * @param selector one within the node's bounds, or null
   * @throws JMSException if the provider does not support it, or as {@link #checkSelector}
   */
  default void checkQueueSelector(String selector) throws JMSException {
    checkSelector(selector);
  }

  /**
   * Opens a consumer of the node's durable subscription of this name. Thread that owns the session;
   * waits for the broker.
   */
  default MessageConsumer durableConsumer(Session session, Topic topic, String name)
      throws JMSException {
    return session.createDurableSubscriber(topic, durableName(name));
  }

  /** Returns the name at the broker of the node's durable subscription of this name. Any thread. */
  default String durableName(String name) {
    return name;
  }

  /**
   * Removes the node's durable subscription of this name. Thread that owns the session; waits for
   * the broker.
   *
   * @throws InvalidDestinationException if it does not exist
   */
  default void unsubscribe(Session session, Topic topic, String name) throws JMSException {
    session.unsubscribe(durableName(name));
  }

  /**
   * Returns whether a session remains usable after a consumer could not be opened on it, because
   * the failure affects only that consumer. Any thread.
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

  /**
   * Returns whether queues of closed consumers exist at the broker that their sessions cannot
   * delete. Any thread.
   */
  default boolean hasOrphanedQueues() {
    return false;
  }

  /**
   * Deletes these queues on a new session. Any thread; waits for the broker and never fails. Queues
   * that the broker does not delete remain for the next call.
   */
  default void deleteOrphanedQueues(Connection connection) {}

  /**
   * Returns whether a failure is permanent and concerns the request only. A topic does not exist or
   * is forbidden, a selector is invalid, or the provider does not support the request.
   */
  static boolean isDenial(Throwable failure) {
    return failure instanceof InvalidDestinationException
        || failure instanceof InvalidSelectorException
        || failure instanceof JMSSecurityException
        || failure instanceof SubscriptionRefusal
        || isUnsupported(failure);
  }

  /** Returns whether the JMS client does not support a request. */
  static boolean isUnsupported(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      if (cause instanceof UnsupportedOperationException
          || cause instanceof AbstractMethodError
          || cause instanceof NoSuchMethodError) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /**
   * Runs an action when the broker closes a consumer, before the connection handles later packets.
   * Providers without such notifications do nothing: {@link MessageConsumer#getMessageListener}
   * then fails some time later. Called, and runs the action, on any thread.
   */
  default void onDisconnect(MessageConsumer consumer, Runnable action) {}

  /**
   * Runs an action when the broker reports that it has discarded a message of a consumer, with the
   * message's {@linkplain #sequence number}. Other providers do nothing. Called, and runs the
   * action, on any thread.
   */
  default void onDiscard(MessageConsumer consumer, LongConsumer action) {}

  /**
   * Opens the consumers of the broker's reports of discards and bridges. Waits for the broker and
   * never fails.
   *
   * @param connection the first connection
   * @param onBridge action that runs, on any thread, when a bridge of a network of brokers is lost,
   *     and when it is up: messages of any topic may have been missing. Also for each bridge that
   *     is up now
   */
  default void watch(Connection connection, Runnable onBridge) {}

  /** Returns losses and risks that the broker has reported. Any thread; never blocks. */
  default List<DiscardRisk> reportedRisks() {
    return List.of();
  }

  /**
   * Returns settings of the broker that may discard messages of the node. Any thread; waits for the
   * broker.
   *
   * @param topics topics and patterns in Sluice's syntax
   * @param durable those of them with a durable subscription
   * @throws Exception any failure of the request, also a refusal by the broker
   */
  default List<DiscardRisk> discardRisks(
      Connection connection, Collection<String> topics, Collection<String> durable)
      throws Exception {
    return List.of();
  }

  /**
   * Returns whether the client buffers messages of a consumer behind those of other consumers of
   * its session. Any thread.
   */
  default boolean hasBufferedMessages(MessageConsumer consumer) {
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

  /**
   * Ends a connection by closing its socket, where the client permits it: the broker may block the
   * connection, and counts deliveries that were not settled. Any thread; may wait for the broker,
   * and never fails.
   */
  default void discard(Connection connection) {
    try {
      connection.close();
    } catch (Throwable e) { // the broker closes it with its socket
      log.atDebug().setCause(e).log("connection did not close");
    }
  }

  /** Closes a session. Any thread. */
  static void closeQuietly(Session session) {
    try {
      session.close();
    } catch (Throwable e) { // the broker closes it with the connection
      log.atDebug().setCause(e).log("session did not close");
    }
  }

  /** Message listener that is also notified of messages that cannot be decoded. */
  interface Listener extends MessageListener {
    /**
     * A message arrived whose type is unknown or whose body cannot be decoded. Called like {@link
     * #onMessage}.
     *
     * @param sequence number that the broker assigned to the message
     * @param priority JMS priority of the message
     */
    void onUndecodable(long sequence, int priority, Throwable cause);
  }

  /**
   * Opens a consumer of a queue. Any thread; waits for the broker.
   *
   * @param connection the connection {@link #QUEUES}
   * @param queue name in the provider's syntax
   * @param selector JMS selector, or null
   * @param executor runs tasks on other threads; they may block for a short time
   */
  default QueueSession queueSession(
      Connection connection,
      String queue,
      String selector,
      QueueSession.Listener listener,
      Executor executor)
      throws JMSException {
    return TransactedQueueSession.open(
        connection,
        session -> session.createConsumer(session.createQueue(queue), selector),
        false,
        listener,
        executor);
  }

  /**
   * Creates the adapter for the durable and shared subscriptions of clients, for all connections of
   * a node one after the other. Any thread.
   */
  default ClientSubscriptions subscriptions(SubscriptionLimits limits) {
    return new JmsSubscriptions(this);
  }

  /** Creates a queue from a name in the provider's syntax. Any thread that owns the session. */
  default Queue queue(Session session, String name) throws JMSException {
    return session.createQueue(name);
  }

  /** Returns whether the broker has responded that a queue does not exist. Any thread. */
  default boolean isMissingQueue(JMSException failure) {
    return failure instanceof InvalidDestinationException;
  }

  /** Returns the queue for rejected messages if none is configured. Any thread. */
  default String deadLetterQueue() {
    return "ActiveMQ.DLQ";
  }

  /** Returns the provider's syntax of topics and wildcards. Any thread. */
  Wildcards wildcards();

  /** Returns the topic of a message, in the provider's syntax. Any thread. */
  default String topicOf(Message message) throws JMSException {
    if (message.getJMSDestination() instanceof Topic topic) {
      return topic.getTopicName();
    }
    throw new JMSException("the message does not name its topic");
  }

  /** Returns the size of a message's encoded body without reading it; -1 if unknown. Any thread. */
  default long bodyBytes(Message message) {
    return -1;
  }

  /** Returns whether a message's body was not read, because it is too large. Any thread. */
  default boolean isBodyUnread(Message message) {
    return false;
  }

  /** Returns the property with the id of a message; empty: the JMSMessageID. Any thread. */
  default String identityProperty() {
    return "";
  }

  /** Returns the id of a message; null if it has none. Any thread. */
  default String messageId(Message message) throws JMSException {
    String property = identityProperty();
    String id =
        property.isEmpty() ? message.getJMSMessageID() : message.getStringProperty(property);
    return id == null || id.isEmpty() ? null : id;
  }

  /** Sets the {@linkplain #identityProperty property} with the id of a message, if configured. */
  default void identify(Message message) throws JMSException {
    if (!identityProperty().isEmpty()) {
      message.setStringProperty(identityProperty(), UUID.randomUUID().toString());
    }
  }

  /**
   * Returns the number that the broker assigned to a message, or {@link Broker#NO_SEQUENCE}.
   * Numbers rise in the order in which the broker accepted messages, except concurrent ones. Any
   * thread.
   */
  default long sequence(Message message) {
    return Broker.NO_SEQUENCE;
  }

  /**
   * Returns the time at which a scheduled message was due, in milliseconds since 1970; 0 if it is
   * not scheduled, {@link #UNKNOWN} if it is and the time is unknown. Any thread.
   */
  default long dueMs(Message message) throws JMSException {
    long dueMs = message.getJMSDeliveryTime();
    long sentMs = message.getJMSTimestamp();
    return sentMs > 0 && dueMs > sentMs ? dueMs : 0;
  }

  /**
   * Returns whether the broker numbers a message when its first bytes arrive, and delivers it after
   * its last ones. Any thread.
   */
  default boolean isSlow(Message message) {
    return false;
  }

  /**
   * Returns the time at which the broker accepted a message, or at which its publisher sent it, in
   * milliseconds since 1970. Any thread.
   */
  default long timeMs(Message message) throws JMSException {
    return message.getJMSTimestamp();
  }

  /**
   * Returns whether a valid topic or pattern has no special meaning for this provider. A name with
   * proprietary address syntax might reach a protected destination. The default excludes the syntax
   * of all supported providers, because that of others is unknown. Any thread.
   */
  default boolean isPlainName(String topic) {
    return topic.indexOf(',') < 0
        && topic.indexOf('?') < 0
        && !topic.contains("::")
        && !topic.startsWith("ID:");
  }

  /**
   * Returns whether a topic or queue is internal to the broker, or to the subscriptions of clients.
   * Clients cannot read or write it.
   */
  default boolean isInternal(String topic) {
    return SubscriptionName.isReserved(topic);
  }
}
