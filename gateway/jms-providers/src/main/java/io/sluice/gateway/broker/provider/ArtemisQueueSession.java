package io.sluice.gateway.broker.provider;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.InputStream;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQQueueExistsException;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientSession.QueueQuery;
import org.apache.activemq.artemis.api.core.client.MessageHandler;
import org.apache.activemq.artemis.core.client.impl.ClientConsumerInternal;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.core.protocol.core.Channel;
import org.apache.activemq.artemis.core.protocol.core.ChannelHandler;
import org.apache.activemq.artemis.core.protocol.core.Packet;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQSessionContext;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveContinuationMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveLargeMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveMessage;
import org.apache.activemq.artemis.jms.client.ActiveMQDestination;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.apache.activemq.artemis.jms.client.JMSExceptionHelper;
import org.apache.activemq.artemis.utils.AutoCreateUtil;
import org.apache.activemq.artemis.utils.SelectorTranslator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transacted Artemis session with one consumer.
 *
 * <p>The consumer has no window: a request grants the broker a few bytes of credit, which one
 * message uses up. The client would otherwise buffer a message behind a slow client. The size of
 * each received packet is returned with the next request. A negative number withdraws credit.
 * Setting it would race with the broker, which subtracts the size of a message after it has sent
 * it.
 *
 * <p>A message is acknowledged individually in the transaction; a rollback retains the delivery
 * count of acknowledged messages and decrements that of all others.
 */
final class ArtemisQueueSession implements QueueSession {
  private static final Logger log = LoggerFactory.getLogger(ArtemisQueueSession.class);

  /** Window size with which the client never sends credit. */
  private static final int NO_WINDOW = -1;

  /** Credit of a request: less than any message. The broker reserves the number -1. */
  private static final int REQUEST = 2;

  private static final int NO_RATE = -1;
  private static final int NO_ACK_BATCH = 1;

  /** Properties of dead letters, as the broker sets them. */
  private static final String ORIGINAL_QUEUE = "_AMQ_ORIG_QUEUE";

  private static final String ORIGINAL_ADDRESS = "_AMQ_ORIG_ADDRESS";

  private final Session jms;
  private final ClientSessionInternal session;
  private final Listener listener;
  private final ClientConsumerInternal consumer;
  private MessageProducer producer;

  /** Messages whose acknowledgement is part of the transaction that has not ended. */
  private final Set<Message> acknowledged = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * Bodies of messages that are too large to be read. A body has its stream before the listener
   * returns, because the client then discards the parts that have arrived.
   */
  private final Map<Message, InputStream> bodies =
      Collections.synchronizedMap(new IdentityHashMap<>());

  /** Bytes of the stored bodies of large messages that have arrived. */
  private final Map<ClientMessage, Long> largeBytes =
      Collections.synchronizedMap(new IdentityHashMap<>());

  // Guarded by this. The broker's credit is that of a request, if granted, minus what is owed.

  /** Bytes of received packets that were not returned; negative: granted in advance. */
  private int owed;

  /** True if the broker has the credit of a request. */
  private boolean granted;

  private ArtemisQueueSession(
      Session jms,
      ClientSessionInternal session,
      ClientConsumerInternal consumer,
      Listener listener) {
    this.jms = jms;
    this.session = session;
    this.consumer = consumer;
    this.listener = listener;
  }

  /** Source of the messages of a session. */
  interface Source {
    /** Returns the queue, which exists when the method returns; waits for the broker. */
    SimpleString open(ClientSessionInternal session) throws ActiveMQException, JMSException;
  }

  /** Returns a queue, which is created if it is missing and the broker permits it. */
  static Source queue(String name) {
    return session -> {
      SimpleString queue = SimpleString.of(name);
      create(session, queue);
      return queue;
    };
  }

  /**
   * Opens a consumer.
   *
   * @param executor runs the listener's calls, in order
   * @param closeTimeoutMs time limit for a call of the listener when the consumer is closed
   */
  static ArtemisQueueSession open(
      Connection connection,
      Source source,
      String selector,
      Listener listener,
      Executor executor,
      int closeTimeoutMs)
      throws JMSException {
    Session jms = connection.createSession(true, Session.SESSION_TRANSACTED);
    try {
      ClientSessionInternal session =
          (ClientSessionInternal) ((ActiveMQSession) jms).getCoreSession();
      SimpleString name = source.open(session);
      ClientConsumerInternal consumer =
          session
              .getSessionContext()
              .createConsumer(
                  name,
                  filter(selector),
                  0,
                  NO_WINDOW,
                  NO_RATE,
                  NO_ACK_BATCH,
                  false,
                  executor,
                  executor,
                  closeTimeoutMs);
      session.addConsumer(consumer);
      ArtemisQueueSession opened = new ArtemisQueueSession(jms, session, consumer, listener);
      opened.countPackets();
      consumer.setMessageHandler(opened.new Messages());
      return opened;
    } catch (ActiveMQException e) {
      Provider.closeQuietly(jms);
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    } catch (JMSException | RuntimeException e) {
      Provider.closeQuietly(jms);
      throw e;
    }
  }

  // The queue of a topic's subscription must not be consumed by its name, nor that of replies.
  private static void create(ClientSessionInternal session, SimpleString name)
      throws ActiveMQException, JMSException {
    QueueQuery found = session.queueQuery(name);
    if (found.isExists()) {
      if (found.getRoutingType() != RoutingType.ANYCAST || found.isTemporary()) {
        throw new InvalidDestinationException(
            "Queue " + name + " belongs to a topic or a connection");
      }
      return;
    }
    if (!found.isAutoCreateQueues()) {
      throw new InvalidDestinationException("Queue " + name + " does not exist");
    }
    try {
      AutoCreateUtil.autoCreateQueue(session, name, null);
    } catch (ActiveMQQueueExistsException e) {
      log.atDebug().setCause(e).log("queue was created by another consumer");
    }
  }

  private static SimpleString filter(String selector) {
    return selector == null
        ? null
        : SimpleString.of(SelectorTranslator.convertToActiveMQFilterString(selector));
  }

  // On the thread that reads the connection: also packets count that the client discards later.
  private void countPackets() {
    Channel channel = ((ActiveMQSessionContext) session.getSessionContext()).getSessionChannel();
    ChannelHandler client = channel.getHandler();
    channel.setHandler(
        packet -> {
          count(packet);
          client.handlePacket(packet);
        });
  }

  private void count(Packet packet) {
    if (packet instanceof SessionReceiveLargeMessage large) {
      largeBytes.put((ClientMessage) large.getLargeMessage(), large.getLargeMessageSize());
    }
    if (packet instanceof SessionReceiveMessage
        || packet instanceof SessionReceiveLargeMessage
        || packet instanceof SessionReceiveContinuationMessage) {
      addOwed(packet.getPacketSize());
    }
  }

  private synchronized void addOwed(int bytes) {
    owed += bytes;
  }

  /** Handler of the client's messages. */
  private final class Messages implements MessageHandler {
    @Override
    public void onMessage(ClientMessage received) {
      ArtemisQueueSession.this.onMessage(received);
    }

    // It has used up the credit of a request that is not answered.
    @Override
    public void onMessageExpired(ClientMessage expired) {
      largeBytes.remove(expired);
      returnOwed();
    }
  }

  private void onMessage(ClientMessage received) {
    Long stored = largeBytes.remove(received);
    try {
      boolean unread = ArtemisBodies.isUnread(received);
      if (received.isLargeMessage() && !unread) {
        load(received, Math.toIntExact(stored));
      }
      ActiveMQMessage message = ActiveMQMessage.createMessage(received, session);
      if (unread) {
        bodies.put(message, ArtemisBodies.stream(received, stored, this::advance));
      }
      message.doBeforeReceive();
      listener.onMessage(message, null);
    } catch (ActiveMQException | RuntimeException | OutOfMemoryError e) {
      listener.onMessage(new ActiveMQMessage(received, session), e);
    }
  }

  // The broker sends the parts of a large message only on credit.
  private void load(ClientMessage received, int stored) {
    advance(stored);
    received.getBodyBuffer();
  }

  // The parts of a body are larger than the body, so that they use up the advance.
  private synchronized void advance(int bytes) {
    int credits = owed + bytes;
    if (credits > 0) {
      owed = -bytes;
      sendCredits(credits);
    }
  }

  @Override
  public synchronized void request() {
    int credits = Math.max(0, owed) + (granted ? 0 : REQUEST);
    owed = Math.min(0, owed);
    granted = true;
    if (credits > 0) {
      sendCredits(credits);
    }
  }

  private synchronized void returnOwed() {
    if (granted) {
      request();
    }
  }

  @Override
  public synchronized void cancel() {
    if (granted) {
      granted = false;
      sendCredits(-REQUEST);
    }
  }

  private void sendCredits(int credits) {
    session.getSessionContext().sendConsumerCredits(consumer, credits);
  }

  @Override
  public void acknowledge(List<Message> messages) throws JMSException {
    try {
      acknowledgeInTransaction(messages);
      session.commit();
      acknowledged.clear();
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
  }

  private void acknowledgeInTransaction(List<Message> messages) throws ActiveMQException {
    for (Message message : messages) {
      if (acknowledged.add(message)) {
        session.individualAcknowledge(consumer, ((ActiveMQMessage) message).getCoreMessage());
      }
    }
  }

  // After a failure the caller closes the session, which rolls back.
  @Override
  public void transact(List<Message> messages, Sends sends) throws JMSException {
    try {
      acknowledgeInTransaction(messages);
      sends.send(jms);
      session.commit();
      acknowledged.clear();
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
  }

  // Copy and acknowledgement are one transaction.
  @Override
  public void reject(Message message, String deadLetter, String queue) throws JMSException {
    if (producer == null) {
      producer =
          jms.createProducer(
              (jakarta.jms.Queue)
                  ActiveMQDestination.createDestination(
                      deadLetter, ActiveMQDestination.TYPE.QUEUE));
    }
    ClientMessage core = ((ActiveMQMessage) message).getCoreMessage();
    if (ArtemisBodies.isUnread(core)) {
      rejectUnread(message, core, queue);
      return;
    }
    long id = core.getMessageID();
    label(core, core, queue);
    int priority = message.getJMSPriority();
    try {
      acknowledgeInTransaction(List.of(message));
      producer.send(message, DeliveryMode.PERSISTENT, priority, 0);
      session.commit();
      acknowledged.clear();
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    } finally {
      core.setMessageID(id);
    }
  }

  // Another copy with the same id, also of an earlier delivery, would be refused as a duplicate.
  private static void label(ClientMessage copy, ClientMessage original, String queue) {
    copy.putStringProperty(ORIGINAL_ADDRESS, original.getAddress());
    copy.putStringProperty(ORIGINAL_QUEUE, queue);
    copy.removeProperty(org.apache.activemq.artemis.api.core.Message.HDR_DUPLICATE_DETECTION_ID);
  }

  // The body passes through in parts. Requests of the consumer share its credit, which is restored.
  private void rejectUnread(Message message, ClientMessage core, String queue) throws JMSException {
    BytesMessage copy = jms.createBytesMessage();
    ClientMessage copied = ((ActiveMQMessage) copy).getCoreMessage();
    ArtemisBodies.copyHead(core, copied);
    label(copied, core, queue);
    try {
      acknowledgeInTransaction(List.of(message));
      copied.setBodyInputStream(bodies.remove(message));
      producer.send(copy, DeliveryMode.PERSISTENT, message.getJMSPriority(), 0);
      session.commit();
      acknowledged.clear();
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
    returnOwed(); // a request that was sent before the last part
  }

  // A rollback stops and restarts the session, and discards what has arrived. With credit left, the
  // broker would deliver a message before the return is complete for the caller.
  @Override
  public void release(List<Message> messages) throws JMSException {
    try {
      acknowledgeInTransaction(messages);
      cancel();
      session.rollback();
      acknowledged.clear();
      largeBytes.clear();
      bodies.clear();
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
  }

  @Override
  public boolean isRedelivered(Message message) throws JMSException {
    return message.getJMSRedelivered();
  }

  @Override
  public boolean isClosed() {
    return session.isClosed() || consumer.isClosed();
  }

  // Closing alone would decrement the delivery count of the client's messages.
  @Override
  public void close(List<Message> messages) {
    try {
      if (!isClosed()) {
        release(messages);
      }
    } catch (JMSException | RuntimeException e) {
      log.atDebug().setCause(e).log("messages were not released");
    }
    try {
      session.close();
    } catch (ActiveMQException | RuntimeException e) {
      log.atDebug().setCause(e).log("session did not close");
    }
    Provider.closeQuietly(jms);
  }
}
