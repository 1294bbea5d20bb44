/**
 * Graceful shutdown and rebalancing of client connections, which are accessed by {@code
 * DrainableConnection} only. The thread of a {@code Drain} queues the work on the event loops; a
 * {@code Rebalancer} visits one event loop after the other. Entry points: {@link
 * io.sluice.gateway.drain.Drain} and {@link io.sluice.gateway.drain.Rebalancer}.
 */
package io.sluice.gateway.drain;
