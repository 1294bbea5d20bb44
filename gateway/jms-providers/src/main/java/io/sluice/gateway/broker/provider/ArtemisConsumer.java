package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.BrokerThreads;
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
import java.util.concurrent.atomic.AtomicInteger;
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
import org.apache.activemq.artemis.api.core.client.MessageHandler;
import org.apache.activemq.artemis.core.client.impl.ClientConsumerInternal;
import org.apache.activemq.artemis.core.client.impl.ClientMessageInternal;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQSessionContext;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionCloseMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveMessage;
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
 *
 * <p>Messages are delivered on the thread that reads the connection. Large ones, whose delivery
 * waits for more packets, are delivered on a thread of the session, and so are those behind them.
 */
final class ArtemisConsumer implements MessageConsumer, ArtemisReceivers.Receiver {
  private static final Logger log = LoggerFactory.getLogger(ArtemisConsumer.class);

  /**
   * Time limit for requests on a session that the broker may have closed. Shorter than the call
   * timeout, which fails the connection.
   */
  private static final long ANSWER_LIMIT_MS = 5_000;

  private final ClientSessionInternal session;
  private final SimpleString queue;
  private final ClientConsumerInternal consumer;
  private final ArtemisDisconnects disconnects;
  private final ArtemisReceivers receivers;
  private final ArtemisDisconnects.Key key;

  /** False if only the client's own delivery respects the options of the URL. */
  private final boolean mayBeDirect;

  private volatile Provider.Listener listener;

  /** Action that runs when the broker closes this consumer. */
  private volatile Runnable onDisconnect = () -> {};

  private volatile boolean disconnected;

  /** Number of messages that the client has queued and that the listener has not processed. */
  private final AtomicInteger queued = new AtomicInteger();

  private ArtemisConsumer(
      ClientSessionInternal session,
      SimpleString queue,
      ClientConsumer consumer,
      ArtemisDisconnects disconnects,
      ArtemisReceivers receivers,
      ArtemisDisconnects.Channel channel) {
    this.session = session;
    this.queue = queue;
    this.consumer = (ClientConsumerInternal) consumer;
    this.disconnects = disconnects;
    this.receivers = receivers;
    this.key = new ArtemisDisconnects.Key(channel, consumer.getConsumerContext().getId());
    this.mayBeDirect = this.consumer.getClientWindowSize() != 0 && !isRateLimited(session);
  }

  private static boolean isRateLimited(ClientSession session) {
    return session.getSessionFactory().getServerLocator().getConsumerMaxRate() >= 0;
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
      ArtemisDisconnects disconnects,
      ArtemisReceivers receivers)
      throws JMSException {
    ClientSessionInternal internal = (ClientSessionInternal) session;
    ArtemisDisconnects.Channel channel = ArtemisDisconnects.Channel.of(internal);
    SimpleString queue = SimpleString.of(UUID.randomUUID().toString());
    try (AnswerLimit limit = new AnswerLimit(internal)) {
      disconnects.begin(channel, limit::start);
      receivers.begin(channel);
      AddressQuery address = address(session, topic);
      createQueue(session, topic, selector, queue, address);
      ClientConsumer consumer = createConsumer(session, topic, queue);
      ArtemisConsumer opened =
          new ArtemisConsumer(internal, queue, consumer, disconnects, receivers, channel);
      receivers.add(opened.key, opened);
      disconnects.add(opened.key, opened::disconnect);
      return opened;
    } catch (ActiveMQException e) {
      if (internal.isClosed()) {
        disconnects.addOrphanedQueue(queue);
      }
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    } finally {
      receivers.end(channel);
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
    keepAllMessages(settings);
    session.createQueue(
        settings
            .setName(queue)
            .setAddress(topic.getAddress())
            .setFilterString(SelectorTranslator.convertToActiveMQFilterString(selector))
            .setDurable(false)
            .setTemporary(true));
  }

  /** Sets what else an address may set for its queues, and what would discard or hold messages. */
  static void keepAllMessages(QueueConfiguration settings) {
    settings
        .setRingSize(-1L)
        .setLastValue(false)
        .setLastValueKey("") // a default key alone makes a last-value queue
        .setNonDestructive(false)
        .setConsumersBeforeDispatch(0)
        .setDelayBeforeDispatch(-1L);
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

  /**
   * Returns whether messages are queued that the listener has not processed. The thread that reads
   * the connection delivers the others before it reads a later canary. Any thread.
   */
  boolean hasBufferedMessages() {
    return queued.get() > 0;
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
      consumer.setMessageHandler(new QueuedMessages());
    } catch (ActiveMQException e) {
      listener = null;
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
  }

  @Override
  public void onQueued(int messages) {
    queued.addAndGet(messages);
  }

  @Override
  public boolean receive(SessionReceiveMessage packet) {
    ClientMessageInternal message = (ClientMessageInternal) packet.getMessage();
    if (!isDirect(message)) {
      onQueued(1);
      return false;
    }
    message.setDeliveryCount(packet.getDeliveryCount());
    if (message.getAddress() == null) {
      message.setAddress(consumer.getQueueInfo().getAddress());
    }
    deliver(message);
    grantCredit(packet.getPacketSize());
    confirm(packet);
    return true;
  }

  // Queued messages precede it. Decompression takes long. The client discards expired messages. It
  // requests each message if there is no window, and waits if the rate is limited.
  private boolean isDirect(ClientMessageInternal message) {
    return mayBeDirect
        && listener != null
        && queued.get() == 0
        && !message.isExpired()
        && !message.getBooleanProperty(
            org.apache.activemq.artemis.api.core.Message.HDR_LARGE_COMPRESSED);
  }

  // The client sends the credit on another thread, after half of the window.
  private void grantCredit(int bytes) {
    try {
      consumer.flowControl(bytes, true);
    } catch (ActiveMQException | RuntimeException e) { // the connection is closed
      log.atDebug().setCause(e).log("credit was not sent");
    }
  }

  // With a confirmation window, the broker stores each packet until it is confirmed.
  private void confirm(SessionReceiveMessage packet) {
    ((ActiveMQSessionContext) session.getSessionContext()).getSessionChannel().confirm(packet);
  }

  /** Handler of the messages that the client has queued. Called on a thread of the session. */
  private final class QueuedMessages implements MessageHandler {
    @Override
    public void onMessage(ClientMessage received) {
      try {
        deliver(received);
        discardRest(received);
      } finally {
        queued.decrementAndGet();
      }
    }

    // The client itself would do so afterwards, and grant credit while the reader does. Its sum of
    // credit permits only one thread.
    private void discardRest(ClientMessage received) {
      if (received.isLargeMessage()) {
        ((ClientMessageInternal) received).discardBody();
      }
    }

    @Override
    public void onMessageExpired(ClientMessage expired) {
      queued.decrementAndGet();
    }
  }

  // An error must not reach the client, which would deliver the message again or close the
  // connection.
  private void deliver(ClientMessage received) {
    Provider.Listener receiver = listener;
    if (receiver == null) {
      return; // its opening failed
    }
    try {
      ActiveMQMessage message = ActiveMQMessage.createMessage(received, session);
      message.doBeforeReceive();
      receiver.onMessage(message);
    } catch (ActiveMQException | RuntimeException | Error e) {
      receiver.onUndecodable(received.getMessageID(), received.getPriority(), e);
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
      receivers.remove(key);
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
        BrokerThreads.SYSTEM.start(this::await, "sluice-broker-close");
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
