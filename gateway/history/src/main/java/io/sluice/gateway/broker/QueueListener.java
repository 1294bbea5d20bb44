package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;

/**
 * Receiver of the events of one {@link QueueConsumer}. Called on any thread, one call at a time, in
 * order; never blocks.
 */
public interface QueueListener {
  /** The consumer is active. Called once, before all other methods except {@link #onRefused}. */
  void onConsuming();

  /** A message is pending from now on. */
  void onDelivery(QueueDelivery delivery);

  /**
   * A pending message returns to the queue, unsettled.
   *
   * @param tag the message; 0 for all pending messages
   */
  void onReleased(long tag, ReleaseReason reason);

  /** The consumer has ended; its pending messages return to the queue. */
  void onRefused(ErrorCode code, String why);
}
