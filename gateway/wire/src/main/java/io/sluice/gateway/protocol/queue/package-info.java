/**
 * Values of the wire protocol of queues (docs/PROTOCOL.md). Immutable. Entry point: {@link
 * io.sluice.gateway.protocol.queue.QueueDelivery}.
 */
package io.sluice.gateway.protocol.queue;
