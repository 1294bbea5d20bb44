package io.sluice.gateway.broker;

import java.util.List;

/**
 * Consumers of queues and of subscriptions that clients own, at the broker. Any thread; no method
 * blocks.
 *
 * <p>The connection of the queues is separate. It is opened for the first consumer, and its loss
 * does not affect interests.
 */
public interface Queues {
  /** Opens a consumer. The listener is notified when it is active or refused. */
  QueueConsumer consume(QueueRequest request, QueueListener listener);

  /**
   * Reads messages without removing them.
   *
   * @param request queue and selector; the credit is not used
   * @param max maximum number of messages, at least 1
   */
  void browse(QueueRequest request, int max, BrowseListener listener);

  /**
   * Publishes messages in one transaction.
   *
   * @param publications at least one message, in order
   */
  void publish(List<Publication> publications, PublishListener listener);

  /**
   * Returns durable subscriptions, sorted by principal, topic and name.
   *
   * @param requester origin of the request
   * @param principal name of their owner; null for all principals
   * @param max maximum number, at least 1
   */
  void list(
      Requester requester, String principal, int max, ResultListener<List<DurableState>> listener);

  /** Removes a durable subscription with its messages. */
  void delete(Requester requester, TopicSubscription subscription, ResultListener<Void> listener);
}
