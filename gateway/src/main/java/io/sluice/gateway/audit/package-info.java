/**
 * Audit log: what clients and operators did, as lines of JSON. {@link AuditLog} is the entry point;
 * any thread may call it, and it never blocks. One thread writes. Events that the file or the rate
 * does not allow are discarded, counted and reported in a line; operators' events have a queue of
 * their own. Imports only {@code config}.
 */
package io.sluice.gateway.audit;
