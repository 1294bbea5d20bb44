package io.sluice.gateway.broker;

/**
 * Consumers of queues at the broker. Any thread; no method blocks.
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
}
