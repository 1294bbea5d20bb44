package io.sluice.gateway.sim.queue;

/**
 * Delivery that a client has received.
 *
 * @param tag number of the delivery in its consumer
 * @param dispatch dispatch of the broker from which it results
 * @param atMicros time at which the client has received it
 */
record Delivered(long tag, Dispatch dispatch, long atMicros) {
  QueuedMessage message() {
    return dispatch.message;
  }
}
