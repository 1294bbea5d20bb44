/**
 * Audit log as JSON lines. Any thread may add events and is never blocked; one thread writes them,
 * and events beyond the rate are discarded and counted. Without this module, a node has no audit
 * log. Entry point: {@link io.sluice.gateway.audit.file.AuditFile}.
 */
package io.sluice.gateway.audit.file;
