/**
 * Audit log of the actions of clients and operators, as JSON lines. Any thread may add events and
 * is never blocked; one thread writes them, and events beyond the rate are discarded and counted.
 * Entry point: {@link AuditLog}. Imports only {@code config}.
 */
package io.sluice.gateway.audit;
