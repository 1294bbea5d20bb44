package io.sluice.gateway.broker.request;

import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Temporary queue of the node with its connection and consumer. The broker deletes it with the
 * connection. Any thread.
 */
final class ReplyQueue {
  private static final Logger log = LoggerFactory.getLogger(ReplyQueue.class);

  private final Connection connection;
  private final Session session;
  private final TemporaryQueue queue;
  private final MessageConsumer consumer;
  private final Provider provider;

  private ReplyQueue(
      Connection connection,
      Session session,
      TemporaryQueue queue,
      MessageConsumer consumer,
      Provider provider) {
    this.connection = connection;
    this.session = session;
    this.queue = queue;
    this.consumer = consumer;
    this.provider = provider;
  }

  /**
   * Opens a connection with a reply queue. Waits for the broker.
   *
   * @param onLost action that runs on any thread, perhaps more than once, when it is lost
   */
  static ReplyQueue open(Provider provider, MessageListener listener, Runnable onLost)
      throws Exception {
    Connection connection = provider.connect(Provider.REPLIES, onLost);
    try {
      // A duplicate reply belongs to no pending request any more, and is dropped.
      Session session = provider.session(connection, Session.DUPS_OK_ACKNOWLEDGE);
      TemporaryQueue queue = session.createTemporaryQueue();
      MessageConsumer consumer = session.createConsumer(queue);
      consumer.setMessageListener(listener);
      connection.start();
      return new ReplyQueue(connection, session, queue, consumer, provider);
    } catch (Throwable e) {
      close(connection);
      throw e;
    }
  }

  /** Returns the address for the responders. */
  Destination address() {
    return queue;
  }

  /** Returns whether the consumer is closed, for example by an operator of the broker. */
  boolean isClosed() {
    try {
      return provider.isClosed(session) || consumer.getMessageListener() == null;
    } catch (JMSException | RuntimeException e) {
      return true;
    }
  }

  /** Closes the connection. Over a lost connection this may block until its timeouts. */
  void close() {
    close(connection);
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (Throwable e) {
      log.atDebug().setCause(e).log("connection of the reply queue did not close");
    }
  }
}
