/**
 * Queues in the session of a client: frames that consume, settle, answer and browse messages, list
 * durable subscriptions, send requests and transactions. Bound to the event loop of the client.
 * Entry point: {@link io.sluice.gateway.session.queue.QueueFeatures}.
 */
package io.sluice.gateway.session.queue;
