package io.sluice.gateway.sim.queue;

/** Rules of queues and requests that a node, a broker's client or a client can violate. */
enum QueueRule {
  /** A settlement is answered after the broker has stored it. */
  SETTLED_AFTER_STORE,
  /** A failed settlement is answered, too. */
  FAILURE_IS_ANSWERED,
  /** A failed settlement ends the delivery of all messages of its consumer. */
  FAILURE_RELEASES,
  /** An acknowledgement with {@code upTo} covers all earlier messages. */
  UP_TO_COVERS_ALL,
  /** The credit limits the pending messages. */
  CREDIT_LIMITS_PENDING,
  /** Pending messages are released when the node loses the broker. */
  LOSS_RELEASES,
  /** A message that is not settled in time is released. */
  TIMEOUT_RELEASES,
  /** A consumer receives nothing new until a released message has returned to the queue. */
  RELEASE_ENDS_DELIVERY,
  /** A consumer that has returned its messages requests further ones. */
  RETURN_ENDS_REQUEST,
  /** The messages of a consumer return to the queue when its client has disconnected. */
  CLOSE_RELEASES,
  /** A message that the broker has counted as delivered is marked. */
  COUNTED_IS_MARKED,
  /** A message whose count the broker has lost is marked. */
  LOST_COUNT_IS_MARKED,
  /** A message is not delivered after its maximum number of attempts. */
  ATTEMPTS_ARE_LIMITED,
  /** A rejected message is moved to the dead-letter queue. */
  REJECTED_IS_KEPT,
  /** A late message of a lost connection does not belong to the next session. */
  LATE_MESSAGE_IS_DROPPED,
  /** A message that a consumer has received is delivered to its client. */
  RECEIVED_IS_DELIVERED,
  /** A reply answers the request with its correlation id. */
  REPLY_BELONGS_TO_REQUEST,
  /** The first reply counts. */
  FIRST_REPLY_COUNTS,
  /** A request without a reply ends in time. */
  REQUEST_ENDS_IN_TIME,
  /** A request ends when the node loses its reply queue. */
  REQUEST_ENDS_WITH_REPLY_QUEUE,
  /** A transaction publishes its messages when it acknowledges others. */
  TRANSACTION_IS_WHOLE,
  /** The reply to a message has its correlation id. */
  RESPONSE_IS_CORRELATED,
  /** A client does not settle messages of an earlier connection. */
  TAGS_END_WITH_CONNECTION
}
