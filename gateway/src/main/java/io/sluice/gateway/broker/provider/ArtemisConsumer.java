package io.sluice.gateway.broker.provider;

import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.activemq.artemis.api.config.ActiveMQDefaultConfiguration;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQNotConnectedException;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSession.AddressQuery;
import org.apache.activemq.artemis.core.client.impl.ClientConsumerInternal;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQSessionContext;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionCloseMessage;
import org.apache.activemq.artemis.jms.client.ActiveMQDestination;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;
import org.apache.activemq.artemis.jms.client.JMSExceptionHelper;
import org.apache.activemq.artemis.utils.AutoCreateUtil;
import org.apache.activemq.artemis.utils.SelectorTranslator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Non-durable consumer of a topic on a session without acknowledgements. It opens its queue as
 * Artemis' JMS client does, with two differences. It deletes a queue whose consumer is refused, and
 * it reports whether the client buffers messages. One thread at a time opens and closes the
 * consumers of a session.
 */
final class ArtemisConsumer implements MessageConsumer {
  private static final Logger log = LoggerFactory.getLogger(ArtemisConsumer.class);

  /**
   * Time limit for requests on a session that the broker may have closed. Shorter than the call
   * timeout, which fails the connection.
   */
  private static final long ANSWER_LIMIT_MS = 5_000;

  private final ClientSessionInternal session;
  private final SimpleString queue;
  private final ClientConsumer consumer;
  private final ArtemisDisconnects disconnects;
  private final ArtemisDisconnects.Key key;
  private volatile Provider.Listener listener;

  /** Action that runs when the broker closes this consumer. */
  private volatile Runnable onDisconnect = () -> {};

  private volatile boolean disconnected;

  /** True if a message has left the client's buffer and the listener has not returned. */
  private volatile boolean delivering;

  private ArtemisConsumer(
      ClientSessionInternal session,
      SimpleString queue,
      ClientConsumer consumer,
      ArtemisDisconnects disconnects,
      ArtemisDisconnects.Channel channel) {
    this.session = session;
    this.queue = queue;
    this.consumer = consumer;
    this.disconnects = disconnects;
    this.key = new ArtemisDisconnects.Key(channel, consumer.getConsumerContext().getId());
  }

  /**
   * Creates the queue and its consumer; waits for the broker three or four times.
   *
   * @param selector JMS selector, or null. The queue receives only selected messages; a selector of
   *     the consumer would leave the others in the queue.
   */
  static ArtemisConsumer open(
      ClientSession session,
      ActiveMQDestination topic,
      String selector,
      ArtemisDisconnects disconnects)
      throws JMSException {
    ClientSessionInternal internal = (ClientSessionInternal) session;
    ArtemisDisconnects.Channel channel = ArtemisDisconnects.Channel.of(internal);
    SimpleString queue = SimpleString.of(UUID.randomUUID().toString());
    try (AnswerLimit limit = new AnswerLimit(internal)) {
      disconnects.begin(channel, limit::start);
      AddressQuery address = address(session, topic);
      createQueue(session, topic, selector, queue, address);
      ClientConsumer consumer = createConsumer(session, topic, queue);
      ArtemisConsumer opened = new ArtemisConsumer(internal, queue, consumer, disconnects, channel);
      disconnects.add(opened.key, opened::disconnect);
      return opened;
    } catch (ActiveMQException e) {
      if (internal.isClosed()) {
        disconnects.addOrphanedQueue(queue);
      }
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    } finally {
      disconnects.end(channel);
    }
  }

  private static AddressQuery address(ClientSession session, ActiveMQDestination topic)
      throws ActiveMQException, JMSException {
    AddressQuery address = query(session, topic);
    if (!address.isExists()) {
      session.createAddress(topic.getSimpleAddress(), RoutingType.MULTICAST, true);
    }
    return address;
  }

  /** Returns the properties of an address that exists or that the broker permits to create. */
  static AddressQuery query(ClientSession session, ActiveMQDestination topic)
      throws ActiveMQException, JMSException {
    AddressQuery address = session.addressQuery(topic.getSimpleAddress());
    if (!address.isExists() && !address.isAutoCreateAddresses()) {
      throw new InvalidDestinationException("Topic " + topic.getName() + " does not exist");
    }
    return address;
  }

  private static void createQueue(
      ClientSession session,
      ActiveMQDestination topic,
      String selector,
      SimpleString queue,
      AddressQuery address)
      throws ActiveMQException {
    QueueConfiguration settings =
        Objects.requireNonNullElse(topic.getQueueConfiguration(), QueueConfiguration.of(queue));
    AutoCreateUtil.setRequiredQueueConfigurationIfNotSet(
        settings, address, RoutingType.MULTICAST, null, false);
    session.createQueue(
        settings
            .setName(queue)
            .setAddress(topic.getAddress())
            .setFilterString(SelectorTranslator.convertToActiveMQFilterString(selector))
            .setDurable(false)
            .setTemporary(true));
  }

  // The broker deletes a temporary queue with its connection, not with its session. Without a
  // consumer it would collect messages until then.
  private static ClientConsumer createConsumer(
      ClientSession session, ActiveMQDestination topic, SimpleString queue)
      throws ActiveMQException {
    try {
      return session.createConsumer(queue, null, priority(topic), false);
    } catch (ActiveMQException | RuntimeException e) {
      deleteQuietly(session, queue);
      throw e;
    }
  }

  private static int priority(ActiveMQDestination topic) {
    QueueConfiguration settings = topic.getQueueConfiguration();
    Integer configured = settings == null ? null : settings.getConsumerPriority();
    return configured == null
        ? ActiveMQDefaultConfiguration.getDefaultConsumerPriority()
        : configured;
  }

  /** Deletes a queue if it exists. */
  static void deleteQuietly(ClientSession session, SimpleString queue) {
    try {
      session.deleteQueue(queue);
    } catch (ActiveMQException | RuntimeException e) { // deleted with the connection
      log.atDebug().setCause(e).log("queue was not deleted");
    }
  }

  /** Returns whether messages have arrived that the listener has not processed. Any thread. */
  boolean hasBufferedMessages() {
    return ((ClientConsumerInternal) consumer).getBufferSize() > 0 || delivering;
  }

  /** Runs an action when the broker closes this consumer; at once if it already has. Any thread. */
  void onDisconnect(Runnable action) {
    onDisconnect = action;
    if (disconnected) {
      action.run();
    }
  }

  private void disconnect() {
    disconnected = true;
    onDisconnect.run();
  }

  @Override
  public void setMessageListener(MessageListener receiver) throws JMSException {
    listener = (Provider.Listener) receiver;
    try {
      consumer.setMessageHandler(this::onMessage);
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
  }

  private void onMessage(ClientMessage received) {
    delivering = true;
    try {
      ActiveMQMessage message = decode(received);
      if (message != null) {
        listener.onMessage(message);
      }
    } finally {
      delivering = false;
    }
  }

  /** Returns the decoded message, or null after notifying the listener that it is undecodable. */
  private ActiveMQMessage decode(ClientMessage received) {
    try {
      ActiveMQMessage message = ActiveMQMessage.createMessage(received, session);
      message.doBeforeReceive();
      return message;
    } catch (ActiveMQException | RuntimeException | OutOfMemoryError e) {
      listener.onUndecodable(received.getMessageID(), received.getPriority(), e);
      return null;
    }
  }

  @Override
  public MessageListener getMessageListener() throws JMSException {
    if (disconnected || consumer.isClosed() || session.isClosed()) {
      throw new IllegalStateException("the consumer is closed");
    }
    return listener;
  }

  // The broker may have closed only this consumer or its whole session, or close it during the
  // requests. Without a time limit a closed session would cost the call timeout.
  @Override
  public void close() throws JMSException {
    ArtemisDisconnects.Channel channel = key.channel();
    try (AnswerLimit limit = new AnswerLimit(session)) {
      disconnects.begin(channel, limit::start);
      disconnects.remove(key);
      if (disconnected) {
        limit.start();
      }
      if (!session.isClosed()) {
        consumer.close();
        session.deleteQueue(queue);
      }
      if (session.isClosed()) {
        disconnects.addOrphanedQueue(queue);
      }
    } catch (ActiveMQException e) {
      disconnects.addOrphanedQueue(queue);
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    } finally {
      disconnects.end(channel);
    }
  }

  /**
   * Time limit for the requests of one thread, measured until it is closed. On expiry it closes the
   * session at the client, and the requests fail. The broker receives a request to close the
   * session, to which the client does not wait for a response. Other consumers of the session are
   * opened again.
   */
  private static final class AnswerLimit implements AutoCloseable {
    private final ClientSessionInternal session;
    private final CountDownLatch answered = new CountDownLatch(1);
    private final AtomicBoolean started = new AtomicBoolean();

    AnswerLimit(ClientSessionInternal session) {
      this.session = session;
    }

    /** Starts to measure, unless it has started. Any thread. */
    void start() {
      if (!started.getAndSet(true)) {
        Thread thread = new Thread(this::await, "sluice-broker-close");
        thread.setDaemon(true);
        thread.start();
      }
    }

    private void await() {
      try {
        if (!answered.await(ANSWER_LIMIT_MS, TimeUnit.MILLISECONDS)) {
          closeAtBroker();
          session.cleanUp(false);
          session.getSessionContext().returnBlocking(new ActiveMQNotConnectedException());
        }
      } catch (ActiveMQException | RuntimeException e) {
        log.atDebug().setCause(e).log("session without answers did not close");
      } catch (InterruptedException e) {
        // This thread is never interrupted.
      }
    }

    // Without a response: a broker that has closed the session sends none.
    private void closeAtBroker() {
      try {
        ActiveMQSessionContext context = (ActiveMQSessionContext) session.getSessionContext();
        context.getSessionChannel().send(new SessionCloseMessage());
      } catch (RuntimeException e) { // the broker closes it with the connection
        log.atDebug().setCause(e).log("session was not closed at the broker");
      }
    }

    @Override
    public void close() {
      answered.countDown();
    }
  }

  @Override
  public String getMessageSelector() {
    return null;
  }

  @Override
  public Message receive() throws JMSException {
    throw new IllegalStateException("the consumer has a listener");
  }

  @Override
  public Message receive(long timeoutMs) throws JMSException {
    return receive();
  }

  @Override
  public Message receiveNoWait() throws JMSException {
    return receive();
  }
}
