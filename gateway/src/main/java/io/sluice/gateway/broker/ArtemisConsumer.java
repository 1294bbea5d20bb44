package io.sluice.gateway.broker;

import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import java.util.Objects;
import java.util.UUID;
import org.apache.activemq.artemis.api.config.ActiveMQDefaultConfiguration;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSession.AddressQuery;
import org.apache.activemq.artemis.core.client.impl.ClientConsumerInternal;
import org.apache.activemq.artemis.jms.client.ActiveMQDestination;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;
import org.apache.activemq.artemis.jms.client.JMSExceptionHelper;
import org.apache.activemq.artemis.utils.AutoCreateUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Non-durable consumer of a topic on a session that acknowledges nothing. It opens its queue as
 * Artemis' JMS client does, with two differences: a queue whose consumer is refused is deleted, and
 * it reports which messages the client has not passed on. One thread at a time opens and closes the
 * consumers of a session.
 */
final class ArtemisConsumer implements MessageConsumer {
  private static final Logger log = LoggerFactory.getLogger(ArtemisConsumer.class);

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

  private final ClientSession session;
  private final SimpleString queue;
  private final ClientConsumer consumer;
  private volatile Listener listener;

  /** Whether a message has left the client's buffer and the listener has not returned. */
  private volatile boolean delivering;

  private ArtemisConsumer(ClientSession session, SimpleString queue, ClientConsumer consumer) {
    this.session = session;
    this.queue = queue;
    this.consumer = consumer;
  }

  /** Creates the queue and its consumer; waits for the broker three or four times. */
  static ArtemisConsumer open(ClientSession session, ActiveMQDestination topic)
      throws JMSException {
    try {
      AddressQuery address = address(session, topic);
      SimpleString queue = SimpleString.of(UUID.randomUUID().toString());
      createQueue(session, topic, queue, address);
      return new ArtemisConsumer(session, queue, createConsumer(session, topic, queue));
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
  }

  private static AddressQuery address(ClientSession session, ActiveMQDestination topic)
      throws ActiveMQException, JMSException {
    AddressQuery address = session.addressQuery(topic.getSimpleAddress());
    if (!address.isExists()) {
      if (!address.isAutoCreateAddresses()) {
        throw new InvalidDestinationException("Topic " + topic.getName() + " does not exist");
      }
      session.createAddress(topic.getSimpleAddress(), RoutingType.MULTICAST, true);
    }
    return address;
  }

  private static void createQueue(
      ClientSession session, ActiveMQDestination topic, SimpleString queue, AddressQuery address)
      throws ActiveMQException {
    QueueConfiguration settings =
        Objects.requireNonNullElse(topic.getQueueConfiguration(), QueueConfiguration.of(queue));
    AutoCreateUtil.setRequiredQueueConfigurationIfNotSet(
        settings, address, RoutingType.MULTICAST, null, false);
    session.createQueue(
        settings
            .setName(queue)
            .setAddress(topic.getAddress())
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

  private static void deleteQuietly(ClientSession session, SimpleString queue) {
    try {
      session.deleteQueue(queue);
    } catch (ActiveMQException | RuntimeException e) { // it ends with the connection
      log.atDebug().setCause(e).log("queue was not deleted");
    }
  }

  /** Whether messages have arrived that the listener has not taken. Any thread. */
  boolean holdsMessages() {
    return ((ClientConsumerInternal) consumer).getBufferSize() > 0 || delivering;
  }

  @Override
  public void setMessageListener(MessageListener receiver) throws JMSException {
    listener = (Listener) receiver;
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

  /** Returns null if the message cannot be decoded; the listener was notified then. */
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
    if (consumer.isClosed() || session.isClosed()) {
      throw new IllegalStateException("the consumer is closed");
    }
    return listener;
  }

  @Override
  public void close() throws JMSException {
    try {
      consumer.close();
      session.deleteQueue(queue);
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
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
