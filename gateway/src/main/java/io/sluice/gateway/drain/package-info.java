/**
 * Graceful shutdown and rebalancing of client connections. Entry points: {@link
 * io.sluice.gateway.drain.GracefulShutdown} and {@link io.sluice.gateway.drain.Rebalancer}.
 *
 * <p>One thread ticks a {@code Drain}, which posts the work to the event loops. The connections are
 * known by {@code DrainableConnection} only.
 */
package io.sluice.gateway.drain;
