package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.provider.classic.ClassicConnection;
import io.sluice.gateway.broker.provider.classic.SendTransaction;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.activemq.ActiveMQMessageConsumer;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.RedeliveryPolicy;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.MessageAck;
import org.apache.activemq.command.MessageDispatch;
import org.apache.activemq.command.MessagePull;
import org.apache.activemq.command.RemoveInfo;
import org.apache.activemq.command.TransactionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classic session with one consumer and individual acknowledgements.
 *
 * <p>Messages bypass the client's consumer, which would retain each of them until it acknowledges
 * it without a transaction.
 *
 * <p>The consumer has no prefetch: each request is one pull command. The broker counts a message as
 * delivered when its consumer is removed, and has no other way to return one. A release therefore
 * replaces the consumer.
 */
final class ClassicQueueSession implements QueueSession {
  private static final Logger log = LoggerFactory.getLogger(ClassicQueueSession.class);
  private static final String NO_PREFETCH = "?consumer.prefetchSize=0";

  /** Property of dead letters. Names with a prefix {@code JMS} are reserved. */
  private static final String ORIGINAL_QUEUE = "originalQueue";

  /** Timeout of a pull that waits for a message. */
  private static final long UNLIMITED = 0;

  /** Timeout of a pull that ends all earlier ones. */
  private static final long EXPIRED = -1;

  private final ClassicConnection connection;
  private final ActiveMQSession session;
  private final Executor executor;
  private final ActiveMQQueue queue;
  private final String selector;
  private final Listener listener;
  private final int maxRedeliveries;
  private volatile ActiveMQMessageConsumer consumer;
  private volatile boolean requested;

  private ClassicQueueSession(
      ClassicConnection connection,
      ActiveMQSession session,
      Executor executor,
      String queue,
      String selector,
      Listener listener)
      throws JMSException {
    this.connection = connection;
    this.session = session;
    this.executor = executor;
    this.queue = new ActiveMQQueue(queue);
    this.selector = selector;
    this.listener = listener;
    this.maxRedeliveries = connection.getRedeliveryPolicy().getMaximumRedeliveries();
  }

  /**
   * Opens a consumer. The broker creates a missing queue if it permits that.
   *
   * @param executor runs tasks that may block for a short time
   */
  static ClassicQueueSession open(
      Connection connection, String queue, String selector, Listener listener, Executor executor)
      throws JMSException {
    ClassicConnection classic = (ClassicConnection) connection;
    ActiveMQSession session =
        (ActiveMQSession) classic.createSession(false, ActiveMQSession.INDIVIDUAL_ACKNOWLEDGE);
    ClassicQueueSession opened =
        new ClassicQueueSession(classic, session, executor, queue, selector, listener);
    try {
      opened.openConsumer();
      return opened;
    } catch (JMSException | RuntimeException e) {
      Provider.closeQuietly(session);
      throw e;
    }
  }

  private void openConsumer() throws JMSException {
    ActiveMQQueue address = new ActiveMQQueue(queue.getPhysicalName() + NO_PREFETCH);
    ActiveMQMessageConsumer opened =
        (ActiveMQMessageConsumer) session.createConsumer(address, selector);
    connection.addDispatcher(opened.getConsumerId(), next -> onDispatch(opened, next));
    consumer = opened;
  }

  // Runs on the thread that reads from the broker, and must not block it.
  private void onDispatch(ActiveMQMessageConsumer receiver, MessageDispatch dispatch) {
    if (receiver != consumer) {
      return;
    }
    if (dispatch.getMessage() != null) {
      requested = false;
      listener.onMessage((ActiveMQMessage) dispatch.getMessage(), null);
    } else if (requested) { // the end of an earlier pull, which also ended this one
      executor.execute(this::pullAgain);
    }
  }

  private void pullAgain() {
    try {
      if (requested && consumer != null) {
        pull(UNLIMITED);
      }
    } catch (JMSException | RuntimeException e) {
      log.atDebug().setCause(e).log("message was not requested");
    }
  }

  @Override
  public void request() throws JMSException {
    requested = true;
    pull(UNLIMITED);
  }

  @Override
  public void cancel() throws JMSException {
    requested = false;
    pull(EXPIRED);
  }

  private void pull(long timeoutMs) throws JMSException {
    MessagePull pull = new MessagePull();
    pull.setConsumerId(consumer.getConsumerId());
    pull.setDestination(queue);
    pull.setTimeout(timeoutMs);
    session.asyncSendPacket(pull);
  }

  @Override
  public void acknowledge(List<Message> messages) throws JMSException {
    for (Message message : messages) {
      acknowledge(message, null);
    }
  }

  private void acknowledge(Message message, TransactionId transaction) throws JMSException {
    MessageAck ack = new MessageAck();
    ack.setAckType(MessageAck.INDIVIDUAL_ACK_TYPE);
    ack.setConsumerId(consumer.getConsumerId());
    ack.setDestination(queue);
    ack.setLastMessageId(((ActiveMQMessage) message).getMessageId());
    ack.setMessageCount(1);
    ack.setTransactionId(transaction);
    session.syncSendPacket(ack); // waits for the broker
  }

  // Sends first: while the broker blocks them, nothing else is part of the transaction.
  @Override
  public void transact(List<Message> acknowledged, Sends sends) throws JMSException {
    SendTransaction transaction = connection.begin();
    try {
      sends.send(transaction.session());
      for (Message message : acknowledged) {
        acknowledge(message, transaction.id());
      }
      transaction.commit();
    } catch (JMSException | RuntimeException e) {
      transaction.rollback();
      throw e;
    }
  }

  // Copy and acknowledgement are one transaction.
  @Override
  public void reject(Message message, String deadLetter, String from) throws JMSException {
    ActiveMQMessage copy = (ActiveMQMessage) ((ActiveMQMessage) message).copy();
    copy.setReadOnlyProperties(false);
    copy.setStringProperty(ORIGINAL_QUEUE, from);
    copy.setOriginalDestination(queue);
    copy.setRedeliveryCounter(0);
    int priority = message.getJMSPriority();
    transact(
        List.of(message),
        sending -> {
          try (MessageProducer producer = sending.createProducer(new ActiveMQQueue(deadLetter))) {
            producer.send(copy, DeliveryMode.PERSISTENT, priority, 0);
          }
        });
  }

  @Override
  public void release(List<Message> messages) throws JMSException {
    requested = false;
    returnMessages(messages);
    openConsumer();
  }

  // By default the client reports the last delivered message, which may be acknowledged. The
  // broker would then count none.
  private void returnMessages(List<Message> delivered) throws JMSException {
    ActiveMQMessageConsumer former = consumer;
    consumer = null;
    former.dispose();
    RemoveInfo removal = new RemoveInfo(former.getConsumerId());
    removal.setLastDeliveredSequenceId(
        delivered.isEmpty()
            ? RemoveInfo.LAST_DELIVERED_UNSET // none counts
            : RemoveInfo.LAST_DELIVERED_UNKNOWN);
    session.syncSendPacket(removal);
  }

  @Override
  public boolean isRedelivered(Message message) throws JMSException {
    return message.getJMSRedelivered();
  }

  @Override
  public boolean isExhausted(Message message) {
    return maxRedeliveries != RedeliveryPolicy.NO_MAXIMUM_REDELIVERIES
        && ((ActiveMQMessage) message).getRedeliveryCounter() > maxRedeliveries;
  }

  @Override
  public boolean isClosed() {
    ActiveMQMessageConsumer current = consumer;
    return session.isClosed() || (current != null && isClosed(current));
  }

  // The broker may close a consumer without its session. Its client reports it in this way only.
  private static boolean isClosed(ActiveMQMessageConsumer current) {
    try {
      current.getMessageListener();
      return false;
    } catch (JMSException e) {
      return true;
    }
  }

  @Override
  public void close(List<Message> messages) {
    requested = false;
    try {
      if (consumer != null && !session.isClosed()) {
        returnMessages(messages);
      }
    } catch (JMSException | RuntimeException e) {
      log.atDebug().setCause(e).log("messages were not released");
    }
    Provider.closeQuietly(session);
  }
}
