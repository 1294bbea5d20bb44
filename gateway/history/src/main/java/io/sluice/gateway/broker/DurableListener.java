package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
import java.util.List;

/**
 * Receiver of the messages of one durable interest, in the order in which the broker sends them.
 */
public interface DurableListener {
  /**
   * The broker is connected, and the consumer is about to be created. Called on the control thread.
   *
   * @return whether the loss is recorded, so that the node reports it even if it terminates now
   */
  boolean onReconnected(RetainedMessages retained);

  /**
   * The consumer is active: retained messages and those published from now on arrive. Called on the
   * control thread.
   *
   * @return number of this consumer; calls with another number belong to earlier consumers
   */
  long onActive();

  /**
   * All messages that arrived before this call have been processed. Called on the interest's own
   * thread before each wait for messages, which ends soon if there are none.
   *
   * @param consumer number of the consumer
   * @param drained whether all retained messages have probably arrived; some brokers do not report
   *     their number
   */
  void onRound(long consumer, boolean drained);

  /**
   * Messages arrived. They are acknowledged if this returns true. Called on the interest's own
   * thread; may block while the disk works.
   *
   * @param consumer number of the consumer
   * @return whether they are stored; if not, it is called again later with the same messages
   */
  boolean onArrivals(long consumer, List<Arrival> arrivals);

  /**
   * Returns whether arrivals need {@link Arrival#fields}, because a selector tests them. Any
   * thread.
   */
  default boolean needsFields() {
    return false;
  }

  /**
   * The broker refuses this topic, which was never active; the interest is closed. Called on the
   * control thread.
   */
  void onRefused(ErrorCode code, String why);
}
