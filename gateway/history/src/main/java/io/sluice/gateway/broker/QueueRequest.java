package io.sluice.gateway.broker;

/**
 * Request of a client to consume or browse. Immutable, for any thread.
 *
 * @param requester the client
 * @param queue a valid name of a queue, no pattern; null for a subscription
 * @param subscription subscription of a topic; null for a queue
 * @param where JMS selector, or null
 * @param credit maximum number of pending messages, from 0
 */
public record QueueRequest(
    Requester requester, String queue, TopicSubscription subscription, String where, int credit) {
  /** Creates a request for a queue. */
  public QueueRequest(Requester requester, String queue, String where, int credit) {
    this(requester, queue, null, where, credit);
  }

  /** Creates a request for a subscription of a topic. */
  public QueueRequest(
      Requester requester, TopicSubscription subscription, String where, int credit) {
    this(requester, null, subscription, where, credit);
  }

  /** Returns the name of the queue or the topic. */
  public String source() {
    return queue != null ? queue : subscription.topic();
  }
}
