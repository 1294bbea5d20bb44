/**
 * Consumption of queues while nodes, brokers and clients are killed. Clients run in child processes
 * and record every delivery in a file; entry point: {@link io.sluice.gateway.queues.QueueFaultsIT}.
 */
package io.sluice.gateway.queues;
