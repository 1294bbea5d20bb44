package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.QueueDelivery;

/** Receiver of the messages of one browse. Called on any thread, one call at a time, in order. */
public interface BrowseListener {
  /**
   * Receives a message, with tag 0.
   *
   * @return whether the browse continues; if not, {@link #onBrowsed} follows
   */
  boolean onMessage(QueueDelivery message);

  /**
   * The browse has ended.
   *
   * @param count number of messages passed to {@link #onMessage}
   * @param more whether the queue had further messages
   * @param skipped number of messages before the end that cannot be delivered, such as those above
   *     limits.broker-message-bytes
   */
  void onBrowsed(int count, boolean more, int skipped);

  /** The browse has failed, perhaps after messages. Called instead of {@link #onBrowsed}. */
  void onRefused(ErrorCode code, String why);
}
