package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.Settlement;
import java.util.List;

/** One client's consumer of a queue or a subscription. Any thread; no method blocks. */
public interface QueueConsumer {
  /** Replaces the maximum number of pending messages. Pending messages remain pending. */
  void credit(int credit);

  /**
   * Settles a pending message.
   *
   * @param upTo whether all pending messages up to this one are settled, too
   * @param listener is notified exactly once
   */
  void settle(long tag, boolean upTo, Settlement how, SettleListener listener);

  /**
   * Answers a pending message, once: publishes a reply to its reply destination, with its
   * correlation id. The message remains pending.
   *
   * @param reply the content; its destination is not used
   */
  void respond(long tag, Publication reply, PublishListener listener);

  /**
   * Acknowledges pending messages and publishes messages in one transaction. If the broker refuses
   * it, all pending messages of the consumer return to the queue.
   *
   * @param acknowledgements at least one
   * @param publications messages in order; may be empty
   */
  void transact(
      List<Acknowledgement> acknowledgements,
      List<Publication> publications,
      PublishListener listener);

  /**
   * Ends the consumer. Pending messages return to the queue and count as delivered. The listener is
   * not notified any more, except by a call that has begun.
   */
  void close();
}
