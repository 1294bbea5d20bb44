package io.sluice.gateway.broker.provider;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Durable and shared subscriptions of clients at one kind of broker. Any thread; each method waits
 * for the broker, and fails with a {@link SubscriptionRefusal} if the broker does not support it.
 * The connection is that of {@link Provider#QUEUES}.
 */
public interface ClientSubscriptions {
  /**
   * Opens a consumer, and creates the subscription if it does not exist.
   *
   * @param where JMS selector, or null
   * @param executor runs tasks on other threads; they may block for a short time
   */
  QueueSession open(
      Connection connection,
      TopicSubscription subscription,
      String where,
      QueueSession.Listener listener,
      Executor executor)
      throws JMSException;

  /**
   * Returns durable subscriptions, sorted by principal, topic and name.
   *
   * @param principal name of their owner; null for all principals
   * @param max maximum number
   */
  default List<DurableState> list(Connection connection, String principal, int max)
      throws JMSException {
    throw new SubscriptionRefusal(
        ErrorCode.UNSUPPORTED, "this broker does not list durable subscriptions");
  }

  /** Removes a durable subscription with its messages. */
  void delete(Connection connection, TopicSubscription subscription) throws JMSException;

  /** Deletes durable subscriptions that are unused for too long. */
  default void expire(Connection connection) throws JMSException {}
}
