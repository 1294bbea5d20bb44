/**
 * Consumers of queues over JMS: one connection, and one session per consumer. Callers never block;
 * JMS calls run on a bounded thread pool. The entry point is {@link
 * io.sluice.gateway.broker.queue.JmsQueueSupport}.
 */
package io.sluice.gateway.broker.queue;
