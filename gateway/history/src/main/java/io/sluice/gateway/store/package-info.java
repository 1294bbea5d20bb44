/**
 * Interface of the storage of durable interests' messages, which survives a restart of the node.
 * Calls may block on disk I/O and are therefore not allowed on an event loop. Entry point: {@link
 * io.sluice.gateway.store.MessageStore}.
 */
package io.sluice.gateway.store;
