package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.protocol.queue.Reply;
import java.util.List;

/**
 * Record of queues or requests on a link. The leaf sends calls, the root their results. Immutable,
 * for any thread.
 */
sealed interface QueueRecord {
  /** Returns the number of the call on this link; of a consumer, that of its {@link Consume}. */
  int ref();

  /** Call of a leaf. */
  sealed interface Call extends QueueRecord {}

  /** Change of an earlier call. */
  sealed interface OfCall extends Call {}

  /** Result or event of a call. */
  sealed interface Result extends QueueRecord {}

  /** Opens a consumer. */
  record Consume(int ref, QueueRequest request) implements Call {}

  /** Replaces the credit of a consumer. */
  record Credit(int ref, int credit) implements OfCall {}

  /** Ends a consumer, a browse or a request. */
  record Close(int ref) implements OfCall {}

  /** Settles messages of a consumer. */
  record Settle(int ref, int consumer, long tag, boolean upTo, Settlement how) implements Call {}

  /** Answers a message of a consumer. */
  record Respond(int ref, int consumer, Requester requester, long tag, Publication reply)
      implements Call {}

  /** Acknowledges messages of a consumer and publishes others, all or nothing. */
  record Transact(
      int ref,
      int consumer,
      Requester requester,
      List<Acknowledgement> acknowledgements,
      List<Publication> publications)
      implements Call {}

  /** Reads messages without removing them. */
  record Browse(int ref, QueueRequest request, int max) implements Call {}

  /** Publishes messages in one transaction. */
  record PublishAll(int ref, Requester requester, List<Publication> publications) implements Call {}

  /**
   * Lists durable subscriptions.
   *
   * @param principal their owner; null for all principals
   */
  record ListDurables(int ref, Requester requester, String principal, int max) implements Call {}

  /** Removes a durable subscription. */
  record Delete(int ref, Requester requester, TopicSubscription subscription) implements Call {}

  /** Sends a request. */
  record Ask(int ref, Requester requester, long timeoutMs, Publication publication)
      implements Call {}

  /** A consumer is active. */
  record Consuming(int ref) implements Result {}

  /** A message of a consumer or a browse. */
  record Delivered(int ref, QueueDelivery message) implements Result {}

  /** Pending messages of a consumer return to the queue. */
  record Released(int ref, long tag, ReleaseReason reason) implements Result {}

  /** A call has failed, or a consumer has ended. */
  record Refused(int ref, ErrorCode code, String why) implements Result {}

  /** A call has succeeded. Of a request: the broker has accepted it. */
  record Done(int ref) implements Result {}

  /** A browse has ended. */
  record Browsed(int ref, boolean more, int skipped) implements Result {}

  /**
   * Some durable subscriptions.
   *
   * @param last whether no others follow
   */
  record Listed(int ref, List<DurableState> durables, boolean last) implements Result {}

  /** The reply to a request. */
  record Replied(int ref, Reply reply) implements Result {}
}
